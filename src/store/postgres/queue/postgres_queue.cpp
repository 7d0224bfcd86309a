// What of the queue is no verb: as the bus has it.
#include "store/postgres/queue/postgres_queue.hpp"

#include "store/postgres/listener.hpp"

namespace penstock::postgres::detail {

Capabilities PostgresQueue::capabilities() const {
  return {.store = "postgres",
          .max_payload = database_.options().max_payload,
          .durable = true,
          .several_processes = true,
          .completion_history = database_.options().completion_history,
          .borrowed_transactions = true};
}

void PostgresQueue::setup(SetupMode mode) {
  if (mode == SetupMode::check) {
    database_.check();
  } else {
    database_.create(mode == SetupMode::force ? OldLeases::ignore : OldLeases::respect);
  }
}

std::unique_ptr<Wakeup> PostgresQueue::listen() { return detail::listen(database_, demand_); }

}  // namespace penstock::postgres::detail

// What of the bus is no verb.
#include "store/postgres/bus/postgres_bus.hpp"

#include "store/postgres/listener.hpp"

namespace penstock::postgres::detail {

Capabilities PostgresBus::capabilities() const {
  return {.store = "postgres",
          .max_payload = database_.options().max_payload,
          .durable = true,
          .several_processes = true,
          .completion_history = database_.options().completion_history,
          .borrowed_transactions = true};
}

void PostgresBus::setup(SetupMode mode) {
  if (mode == SetupMode::check) {
    database_.check();
  } else {
    database_.create(mode == SetupMode::force ? OldLeases::ignore : OldLeases::respect);
  }
}

std::unique_ptr<Wakeup> PostgresBus::listen() { return detail::listen(database_, demand_); }

}  // namespace penstock::postgres::detail

// The public face of the PostgreSQL store.
#include "penstock/error.hpp"
#include "penstock/stores/postgres.hpp"
#include "store/postgres/bus/postgres_bus.hpp"
#include "store/postgres/database.hpp"
#include "store/postgres/queue/postgres_queue.hpp"

namespace penstock {

class PostgresStore::Impl {
 public:
  explicit Impl(PostgresStoreOptions options) : database(std::move(options)) {}
  postgres::detail::Database database;
  postgres::detail::PostgresBus bus{database};
  postgres::detail::PostgresQueue queue{database};
};

PostgresStore::PostgresStore(PostgresStoreOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

PostgresStore::~PostgresStore() = default;

BusStore& PostgresStore::bus() { return impl_->bus; }

QueueStore& PostgresStore::queue() { return impl_->queue; }

namespace postgres {

pg_conn* connection(const Transaction& transaction) {
  if (const auto* held = dynamic_cast<const detail::HeldTransaction*>(&transaction)) {
    return held->connection().handle();
  }
  if (const auto* borrowed = dynamic_cast<const Borrowed*>(&transaction)) {
    return borrowed->connection();
  }
  throw Error(ErrorKind::usage, "the transaction belongs to another kind of store than PostgreSQL");
}

}  // namespace postgres
}  // namespace penstock

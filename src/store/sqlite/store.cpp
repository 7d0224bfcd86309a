// The public face of the SQLite store, and what of it is no verb.
#include "penstock/stores/sqlite.hpp"

#include "penstock/error.hpp"
#include "store/sqlite/bus/sqlite_bus.hpp"
#include "store/sqlite/queue/sqlite_queue.hpp"
#include "store/sqlite/wakeup.hpp"

namespace penstock {

class SqliteStore::Impl {
 public:
  explicit Impl(SqliteStoreOptions options) : bus(std::move(options)) {}
  sqlite::detail::SqliteBus bus;
  sqlite::detail::SqliteQueue queue{bus.database(), bus.hints()};
};

SqliteStore::SqliteStore(SqliteStoreOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

SqliteStore::~SqliteStore() = default;

BusStore& SqliteStore::bus() { return impl_->bus; }

QueueStore& SqliteStore::queue() { return impl_->queue; }

namespace sqlite {

sqlite3* connection(const Transaction& transaction) {
  if (const auto* held = dynamic_cast<const detail::HeldTransaction*>(&transaction)) {
    return held->connection().handle();
  }
  if (const auto* borrowed = dynamic_cast<const Borrowed*>(&transaction)) {
    return borrowed->connection();
  }
  throw Error(ErrorKind::usage, "the transaction belongs to another kind of store than SQLite");
}

namespace detail {

Capabilities SqliteBus::capabilities() const {
  return {.store = "sqlite",
          .max_payload = database_.options().max_payload,
          .durable = true,
          .several_processes = true,
          .completion_history = database_.options().completion_history,
          .borrowed_transactions = true};
}

void SqliteBus::setup(SetupMode mode) {
  if (mode == SetupMode::check) {
    database_.check();
  } else {
    database_.create();
  }
}

std::unique_ptr<Wakeup> SqliteBus::listen() {
  return std::make_unique<FileWakeup>(database_, hints_);
}

}  // namespace detail
}  // namespace sqlite
}  // namespace penstock

// The database of one store: its connections, and every call run on them with the retries and the
// meaning of failures that belong to it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/mutex.hpp"
#include "base/random.hpp"
#include "penstock/stores/postgres.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/demand.hpp"
#include "store/postgres/migrate.hpp"
#include "store/postgres/names.hpp"
#include "store/postgres/pool.hpp"
#include "store/postgres/target.hpp"

namespace penstock::postgres::detail {

/// What a call does, which decides what a lost answer means.
enum class Effect {
  none,        ///< Reads: lost is `unavailable`, and is tried once more on a fresh connection.
  repeatable,  ///< Writes what may be written again without harm: the same.
  once,        ///< Writes: lost where it may have committed is `in_doubt`, and never tried again.
};

/// Thread-safe. No lock is held during a call to the server.
class Database {
 public:
  /// Connects to nothing yet. Throws: usage.
  explicit Database(PostgresStoreOptions options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[nodiscard]] const PostgresStoreOptions& options() const noexcept { return options_; }
  [[nodiscard]] const Names& names() const noexcept { return names_; }
  [[nodiscard]] const Target& target() const noexcept { return target_; }
  /// Raised wherever something may have become due by a call of this process.
  [[nodiscard]] LocalHints& hints() noexcept { return hints_; }

  /// Brings the tables to the current version.
  void create(OldLeases old_leases = OldLeases::respect);
  /// Throws `schema` where the tables are not current.
  void check();
  /// Removes the tables, and everything in them.
  void drop();

  /// Runs `work(connection)`, which sends ONE statement (or one pipeline), without BEGIN and
  /// COMMIT.
  ///
  /// Serialization failures and deadlocks run it again, so it must not keep what it learned in a
  /// run that failed.
  template <typename Work>
  auto call(std::string_view operation, Effect effect, Work&& work) {
    return result_of(operation, effect, Scope::statement, work);
  }
  /// Runs `work(connection)` between BEGIN and COMMIT.
  template <typename Work>
  auto transact(std::string_view operation, Effect effect, Work&& work) {
    return result_of(operation, effect, Scope::transaction, work);
  }
  // In short: one statement each.
  template <typename Work>
  auto read(std::string_view operation, Work&& work) {
    return call(operation, Effect::none, work);
  }
  template <typename Work>
  auto write(std::string_view operation, Work&& work) {
    return call(operation, Effect::once, work);
  }
  /// Several reads in one snapshot.
  template <typename Work>
  auto read_snapshot(std::string_view operation, Work&& work) {
    return result_of(operation, Effect::none, Scope::snapshot, work);
  }

  /// Runs `work(connection)` in the transaction of a caller. A failure on the server spoils the
  /// caller's whole transaction: nothing is run again.
  ///
  /// Throws: usage, where it is no transaction of PostgreSQL, or not open.
  template <typename Work>
  auto write_in(const Transaction& transaction, std::string_view operation, Work&& work) {
    check_process();
    const Joined joined(*this, transaction, operation);
    return work(joined.connection());
  }

  [[nodiscard]] std::unique_ptr<OwnedTransaction> begin();

  /// Whether a pooler stands in between; asks the server where nobody knows yet.
  [[nodiscard]] bool is_pooled();

  /// A connection outside of the pools, for LISTEN.
  [[nodiscard]] std::unique_ptr<Connection> connect();

  /// Throws `usage` in a child process after fork.
  void check_process() const;

 private:
  friend class HeldTransaction;
  enum class Scope { statement, transaction, snapshot, setup };
  using Call = std::function<void(Connection&)>;

  /// The connection behind a caller's transaction, for one call.
  class Joined {
   public:
    Joined(Database& database, const Transaction& transaction, std::string_view operation);
    [[nodiscard]] Connection& connection() const noexcept { return *connection_; }

   private:
    std::unique_ptr<Connection> borrowed_;
    Connection* connection_ = nullptr;
  };

  template <typename Work>
  auto result_of(std::string_view operation, Effect effect, Scope scope, Work& work) {
    using Value = std::invoke_result_t<Work&, Connection&>;
    if constexpr (std::is_void_v<Value>) {
      run(operation, effect, scope, [&](Connection& connection) { work(connection); });
    } else {
      std::optional<Value> value;
      run(operation, effect, scope, [&](Connection& connection) {
        value.reset();
        value.emplace(work(connection));
      });
      return std::move(*value);
    }
  }

  void run(std::string_view operation, Effect effect, Scope scope, const Call& work);
  void run_once(Connection& connection, Scope scope, const Call& work);
  /// Whether to run it again after `error`; waits a little where others are to get out of the way.
  [[nodiscard]] bool shall_repeat(const Error& error, bool stale, int tries);
  void check_schema(Connection& connection);
  [[nodiscard]] std::unique_ptr<Connection> open_for_pool();
  void find_out_pooler(Connection& connection);
  [[nodiscard]] Pool::Deadline pool_deadline() const;
  [[nodiscard]] Pool::Lease borrow(Pool& pool, std::string_view operation);

  PostgresStoreOptions options_;
  Names names_;
  Target target_;
  const pid_t process_;
  std::atomic<bool> schema_is_current_ = false;  ///< Once seen; for borrowed connections.
  base::Mutex mutex_;
  std::optional<bool> pooled_ PENSTOCK_GUARDED_BY(mutex_);
  base::Random random_ PENSTOCK_GUARDED_BY(mutex_);
  LocalHints hints_;
  Pool calls_;
  Pool held_;
};

/// A transaction that the store began, on a connection of the second pool.
class HeldTransaction final : public OwnedTransaction {
 public:
  HeldTransaction(Database& database, Pool::Lease connection);
  ~HeldTransaction() override;
  void commit() override;

  [[nodiscard]] Connection& connection() const;
  [[nodiscard]] const Database& database() const noexcept { return database_; }

 private:
  Database& database_;
  Pool::Lease connection_;
  bool open_ = true;
};

}  // namespace penstock::postgres::detail

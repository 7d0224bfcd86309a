// The file of one store and its connections: one for writing, one for reading, and a few for
// transactions that callers hold. Runs every call as one transaction.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "penstock/stores/sqlite.hpp"
#include "store/sqlite/connection.hpp"

namespace penstock::sqlite::detail {

/// Thread-safe. Lock order: none is taken while another is held.
class Database {
 public:
  /// Opens the file where it exists; else only checks that it could be made.
  explicit Database(SqliteStoreOptions options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[nodiscard]] const SqliteStoreOptions& options() const noexcept { return options_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] Timestamp now() const { return options_.clock->now(); }

  /// Makes the file where it is missing, and brings its tables to the current version.
  void create();
  /// Throws `schema` where the tables are not current.
  void check();

  /// Runs `work(connection)` in a write transaction and commits it.
  template <typename Work>
  auto write(std::string_view operation, Work&& work) {
    check_process();
    refuse_to_wait_for_oneself(operation);
    base::MutexLock lock(writer_mutex_);
    Connection& connection = writer(operation);
    return in_transaction(connection, [&] { return work(connection); });
  }

  /// Runs `work(connection)` on the connection for writing, outside of a transaction: each
  /// statement sees its own snapshot, and nothing may be written.
  template <typename Work>
  auto peek(std::string_view operation, Work&& work) {
    check_process();
    base::MutexLock lock(writer_mutex_);
    Connection& connection = writer(operation);
    connection.check_not_moved();
    connection.check_schema();
    return work(connection);
  }

  /// Runs `work(connection)` in one snapshot that no writer waits for.
  template <typename Work>
  auto read(std::string_view operation, Work&& work) {
    check_process();
    base::MutexLock lock(reader_mutex_);
    Connection& connection = reader(operation);
    connection.execute("begin");
    const RollBackAtEnd end{connection};
    return work(connection);
  }

  /// Runs `work(connection)` in the transaction of a caller, all or nothing.
  ///
  /// Throws: usage, where it is no transaction of SQLite, not open, or on another file.
  template <typename Work>
  auto write_in(const Transaction& transaction, std::string_view operation, Work&& work) {
    check_process();
    const Joined joined(*this, transaction, operation);
    joined.connection().execute("savepoint penstock");
    SavePoint point{joined.connection()};
    auto result = work(joined.connection());
    point.release();
    return result;
  }

  /// One at a time: others wait here, for as long as the busy timeout. After a transaction the file
  /// is left to other connections for a little, in proportion to how long it was held: SQLite has
  /// no queue, and a busy dispatcher would keep the program's own writes out for ever.
  [[nodiscard]] std::unique_ptr<OwnedTransaction> begin();

  /// Grows whenever another connection commits. Empty where the store is busy, or not yet made: ask
  /// again. For the wake-up.
  [[nodiscard]] std::optional<std::int64_t> try_data_version();

  /// Throws `usage` in a child process after fork.
  void check_process() const;

 private:
  friend class HeldTransaction;

  struct RollBackAtEnd {
    Connection& connection;
    ~RollBackAtEnd() { connection.roll_back(); }
  };

  /// Undoes our own writes in a caller's transaction, unless released.
  class SavePoint {
   public:
    explicit SavePoint(Connection& connection) : connection_(connection) {}
    ~SavePoint();
    void release();

   private:
    Connection& connection_;
    bool released_ = false;
  };

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
  auto in_transaction(Connection& connection, Work&& work) {
    connection.begin_immediate();
    try {
      connection.check_not_moved();
      connection.check_schema();
      if constexpr (std::is_void_v<decltype(work())>) {
        work();
        connection.commit();
      } else {
        auto result = work();
        connection.commit();
        return result;
      }
    } catch (...) {
      connection.roll_back();
      throw;
    }
  }

  /// Who holds the one write transaction that this store may have open.
  class Turn {
   public:
    explicit Turn(Database& database);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Database& database_;
    std::chrono::steady_clock::time_point began_{};
  };

  /// A write on a thread that has a transaction of this store open would wait for itself.
  void refuse_to_wait_for_oneself(std::string_view operation);

  [[nodiscard]] std::unique_ptr<Connection> open(Connection::Access access);
  void refuse_missing_file() const;
  Connection& ready(std::unique_ptr<Connection>& slot, std::string_view operation);
  Connection& writer(std::string_view operation) PENSTOCK_REQUIRES(writer_mutex_) {
    return ready(writer_, operation);
  }
  Connection& reader(std::string_view operation) PENSTOCK_REQUIRES(reader_mutex_);
  [[nodiscard]] std::unique_ptr<Connection> take_from_pool();
  void give_to_pool(std::unique_ptr<Connection> connection) noexcept;

  SqliteStoreOptions options_;
  std::string path_;  ///< Absolute, so that a change of the working directory does not matter.
  const pid_t process_;
  std::atomic<bool> was_opened_ = false;

  base::Mutex writer_mutex_;
  std::unique_ptr<Connection> writer_ PENSTOCK_GUARDED_BY(writer_mutex_);
  base::Mutex reader_mutex_;
  std::unique_ptr<Connection> reader_ PENSTOCK_GUARDED_BY(reader_mutex_);
  base::Mutex turn_mutex_;
  base::Condition turn_over_;
  std::optional<std::thread::id> holder_ PENSTOCK_GUARDED_BY(turn_mutex_);
  std::chrono::steady_clock::time_point next_turn_ PENSTOCK_GUARDED_BY(turn_mutex_){};
  base::Mutex pool_mutex_;
  std::vector<std::unique_ptr<Connection>> pool_ PENSTOCK_GUARDED_BY(pool_mutex_);
};

/// A transaction that the store began, on a connection of the pool.
class HeldTransaction final : public OwnedTransaction {
 public:
  explicit HeldTransaction(Database& database);
  ~HeldTransaction() override;
  void commit() override;

  [[nodiscard]] Connection& connection() const;
  [[nodiscard]] const Database& database() const noexcept { return database_; }

 private:
  Database& database_;
  std::optional<Database::Turn> turn_;
  std::unique_ptr<Connection> connection_;
  bool open_ = true;
};

}  // namespace penstock::sqlite::detail

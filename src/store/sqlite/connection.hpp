// One connection to the database: our own, or the caller's, borrowed. Waits for other writers with
// a busy handler of its own, and keeps its prepared statements.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/random.hpp"
#include "penstock/clock.hpp"
#include "store/sqlite/sql_text.hpp"
#include "store/sqlite/statement.hpp"

struct sqlite3;

namespace penstock::sqlite::detail {

/// One thread at a time.
class Connection {
 public:
  enum class Access { read_write, create };

  /// Opens `path` with the settings of a store: WAL is left to setup; synchronous is full.
  Connection(std::string path, Access access, Duration busy_timeout);
  /// Borrows a connection of the caller: changes none of its settings, and leaves it open.
  Connection(sqlite3* borrowed, std::string path);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] sqlite3* handle() const noexcept { return handle_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Names the call in messages, and gives it the whole busy timeout.
  void begin_operation(std::string_view operation);

  /// The statement of an SQL file, prepared at its first use.
  [[nodiscard]] Statement& statement(const SqlText& sql);
  template <typename... Values>
  [[nodiscard]] Query query(const SqlText& sql, const Values&... values) {
    return Query(statement(sql), values...);
  }
  template <typename... Values>
  void run(const SqlText& sql, const Values&... values) {
    Query(statement(sql), values...).run();
  }
  /// Rows that the last statement changed.
  [[nodiscard]] std::int64_t changes() const noexcept;

  /// Runs a line of SQL that has no parameters.
  void execute(const char* sql);

  void begin_immediate();
  void commit();
  void roll_back() noexcept;
  [[nodiscard]] bool in_transaction() const noexcept;

  /// Throws `unavailable` where the file under this connection was moved or deleted: what it would
  /// write is lost when it closes.
  void check_not_moved();
  /// Waits for others who do the same, for as long as the operation may.
  void use_write_ahead_log();
  /// Throws `schema` where the tables are missing or of another version.
  void check_schema();
  void forget_schema() noexcept { schema_is_current_ = false; }

  /// Forgets the handle without closing it; in a child process after fork.
  void abandon() noexcept;

  /// Throws what `code`, the result of the last call, means.
  [[noreturn]] void fail(int code, std::string_view statement = {});

 private:
  static int on_busy(void* self, int tries);
  void apply_settings();

  std::string path_;
  sqlite3* handle_ = nullptr;
  const bool owned_;
  bool schema_is_current_ = false;
  std::string_view operation_ = "open";
  Duration busy_timeout_{};
  std::chrono::steady_clock::time_point busy_deadline_{};
  base::Random jitter_;
  std::unordered_map<const char*, std::unique_ptr<Statement>> statements_;
};

}  // namespace penstock::sqlite::detail

// The thinnest wrapper over SQLite's C interface that a bare loop can be written with.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace penstock::bench {

struct CloseSqlite {
  void operator()(sqlite3* connection) const noexcept { sqlite3_close(connection); }
  void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using RawConnection = std::unique_ptr<sqlite3, CloseSqlite>;

[[noreturn]] inline void fail(sqlite3* connection) {
  throw std::runtime_error(std::string("bare loop: ") + sqlite3_errmsg(connection));
}

inline RawConnection open_raw(const std::string& file) {
  sqlite3* connection = nullptr;
  const int code = sqlite3_open(file.c_str(), &connection);
  RawConnection owner(connection);
  if (code != SQLITE_OK) fail(connection);
  return owner;
}

inline void execute(sqlite3* connection, const char* sql) {
  if (sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(connection);
}

struct RawBlob {
  std::string_view bytes;
};

/// A prepared statement. What is bound must live until the next `start`.
class RawStatement {
 public:
  RawStatement(sqlite3* connection, std::string_view sql) : connection_(connection) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()),
                           SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
      fail(connection);
    }
    statement_.reset(statement);
  }

  template <typename... Values>
  void start(const Values&... values) {
    sqlite3_reset(statement_.get());
    int place = 0;
    (bind(++place, values), ...);
  }

  /// Whether there is a row.
  bool next() {
    const int code = sqlite3_step(statement_.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail(connection_);
    return code == SQLITE_ROW;
  }

  template <typename... Values>
  void run(const Values&... values) {
    start(values...);
    while (next()) {
    }
    sqlite3_reset(statement_.get());
  }

  [[nodiscard]] std::int64_t integer(int column) {
    return sqlite3_column_int64(statement_.get(), column);
  }
  [[nodiscard]] std::string bytes(int column) {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
  }

 private:
  void bind(int place, std::int64_t value) { sqlite3_bind_int64(statement_.get(), place, value); }
  void bind(int place, std::string_view value) {
    sqlite3_bind_text64(statement_.get(), place, value.data(), value.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
  }
  void bind(int place, RawBlob value) {
    sqlite3_bind_blob64(statement_.get(), place, value.bytes.data(), value.bytes.size(),
                        SQLITE_STATIC);
  }
  void bind(int place, std::nullptr_t) { sqlite3_bind_null(statement_.get(), place); }

  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, CloseSqlite> statement_;
};

}  // namespace penstock::bench

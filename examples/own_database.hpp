// The example programs' own tables: a few lines of plain SQLite, as any program may have them.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace example {

struct Close {
  void operator()(sqlite3* connection) const noexcept { sqlite3_close(connection); }
};
using Connection = std::unique_ptr<sqlite3, Close>;

inline Connection open(const std::string& file) {
  sqlite3* connection = nullptr;
  const int code = sqlite3_open(file.c_str(), &connection);
  Connection owner(connection);
  if (code != SQLITE_OK) throw std::runtime_error("cannot open " + file);
  sqlite3_busy_timeout(connection, 5'000);
  return owner;
}

inline void run(sqlite3* connection, const std::string& sql) {
  if (sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sqlite3_errmsg(connection));
  }
}

/// The one number that `sql` selects.
inline int number(sqlite3* connection, const std::string& sql) {
  int result = 0;
  const auto take = [](void* out, int, char** columns, char**) {
    *static_cast<int*>(out) = std::stoi(columns[0]);
    return 0;
  };
  if (sqlite3_exec(connection, sql.c_str(), take, &result, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sqlite3_errmsg(connection));
  }
  return result;
}

}  // namespace example

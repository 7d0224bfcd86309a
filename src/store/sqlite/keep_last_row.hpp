// What a caller's connection remembers and we must not change.
#pragma once

#include <sqlite3.h>

#include "store/sqlite/connection.hpp"

namespace penstock::sqlite::detail {

/// Leaves the caller's last_insert_rowid() as it was.
class KeepLastRow {
 public:
  explicit KeepLastRow(Connection& connection)
      : handle_(connection.handle()), row_(sqlite3_last_insert_rowid(handle_)) {}
  ~KeepLastRow() { sqlite3_set_last_insert_rowid(handle_, row_); }
  KeepLastRow(const KeepLastRow&) = delete;
  KeepLastRow& operator=(const KeepLastRow&) = delete;

 private:
  sqlite3* handle_;
  sqlite3_int64 row_;
};

}  // namespace penstock::sqlite::detail

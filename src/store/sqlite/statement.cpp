// Thin over sqlite3_stmt; what SQLite reports becomes an Error through the table.
#include "store/sqlite/statement.hpp"

#include <sqlite3.h>

#include "store/sqlite/connection.hpp"

namespace penstock::sqlite::detail {

Statement::Statement(Connection& connection, std::string_view name, std::string_view text)
    : connection_(connection), name_(name) {
  check(sqlite3_prepare_v3(connection_.handle(), text.data(), static_cast<int>(text.size()),
                           SQLITE_PREPARE_PERSISTENT, &statement_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::check(int code) {
  if (code != SQLITE_OK) fail(code);
}

void Statement::fail(int code) { connection_.fail(code, name_); }

void Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, index, value));
}

void Statement::bind(int index, std::string_view text) {
  // A null pointer would bind NULL, and an empty view may hold one.
  const char* data = text.empty() ? "" : text.data();
  check(sqlite3_bind_text64(statement_, index, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int index, Blob blob) {
  const char* data = blob.bytes.empty() ? "" : blob.bytes.data();
  check(sqlite3_bind_blob64(statement_, index, data, blob.bytes.size(), SQLITE_STATIC));
}

void Statement::bind(int index, std::nullopt_t) { check(sqlite3_bind_null(statement_, index)); }

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(code);
}

void Statement::reset() noexcept {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

std::int64_t Query::integer(int column) const {
  return sqlite3_column_int64(statement_.handle(), column);
}

std::string_view Query::text(int column) const {
  const void* data = sqlite3_column_text(statement_.handle(), column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.handle(), column))};
}

std::string_view Query::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_.handle(), column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.handle(), column))};
}

bool Query::is_null(int column) const {
  return sqlite3_column_type(statement_.handle(), column) == SQLITE_NULL;
}

std::optional<std::string> Query::optional_text(int column) const {
  if (is_null(column)) return std::nullopt;
  return std::string(text(column));
}

std::optional<std::int64_t> Query::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::optional<Timestamp> Query::optional_time(int column) const {
  if (is_null(column)) return std::nullopt;
  return time(column);
}

}  // namespace penstock::sqlite::detail

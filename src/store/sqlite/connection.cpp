// Opening, waiting for other writers, transactions.
#include "store/sqlite/connection.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <thread>

#include "base/mutant.hpp"
#include "penstock/error.hpp"
#include "store/sqlite/error_table.hpp"
#include "store/sqlite/migrate.hpp"
#include "store/sqlite/sql.hpp"

namespace penstock::sqlite::detail {

Connection::Connection(std::string path, Access access, Duration busy_timeout)
    : path_(std::move(path)), owned_(true), busy_timeout_(busy_timeout) {
  const int create = access == Access::create ? SQLITE_OPEN_CREATE : 0;
  // NOMUTEX: whoever owns this object lets one thread at a time in.
  const int code = sqlite3_open_v2(
      path_.c_str(), &handle_,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | create, nullptr);
  try {
    if (code != SQLITE_OK) fail(code);
    begin_operation("open");
    apply_settings();
  } catch (...) {
    statements_.clear();
    sqlite3_close(handle_);
    throw;
  }
}

Connection::Connection(sqlite3* borrowed, std::string path)
    : path_(std::move(path)), handle_(borrowed), owned_(false) {}

Connection::~Connection() {
  statements_.clear();
  if (owned_) sqlite3_close(handle_);
}

void Connection::apply_settings() {
  sqlite3_busy_handler(handle_, &Connection::on_busy, this);
  // A transaction of many events may make the write-ahead log large; it shall not stay so.
  execute(
      "pragma synchronous = full; pragma foreign_keys = off; "
      "pragma journal_size_limit = 67108864");
}

void Connection::begin_operation(std::string_view operation) {
  operation_ = operation;
  busy_deadline_ = std::chrono::steady_clock::now() + busy_timeout_;
}

int Connection::on_busy(void* self, int tries) {
  auto& connection = *static_cast<Connection*>(self);
  const auto left = connection.busy_deadline_ - std::chrono::steady_clock::now();
  if (left <= std::chrono::steady_clock::duration::zero()) return 0;
  // Short waits, because transactions are short; with jitter, or processes would wait in step.
  const auto longest = std::chrono::microseconds{100 << std::min(tries, 6)};
  const auto wait = std::chrono::duration_cast<std::chrono::microseconds>(
      longest * (0.5 + connection.jitter_.fraction() / 2));
  std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(wait, left));
  return 1;
}

Statement& Connection::statement(const SqlText& sql) {
  std::unique_ptr<Statement>& slot = statements_[sql.text.data()];
  if (!slot) slot = std::make_unique<Statement>(*this, sql.name, base::as_mutated(sql.text));
  return *slot;
}

std::int64_t Connection::changes() const noexcept { return sqlite3_changes64(handle_); }

void Connection::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Connection::begin_immediate() { execute("begin immediate"); }

void Connection::commit() {
  const int code = sqlite3_exec(handle_, "commit", nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return;
  throw_failure(
      handle_, code,
      {.operation = operation_, .path = path_, .statement = "commit", .stage = Stage::commit});
}

void Connection::roll_back() noexcept {
  // SQLite may have rolled back by itself, for example when the disk was full.
  if (in_transaction()) sqlite3_exec(handle_, "rollback", nullptr, nullptr, nullptr);
}

bool Connection::in_transaction() const noexcept { return sqlite3_get_autocommit(handle_) == 0; }

void Connection::check_not_moved() {
  int moved = 0;
  const int code = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (code == SQLITE_OK && moved != 0) fail(SQLITE_READONLY_DBMOVED);
}

void Connection::use_write_ahead_log() {
  for (;;) {
    try {
      execute("pragma journal_mode = wal");
      return;
    } catch (const Error& error) {
      // SQLite does not call the busy handler while several connections change the mode at once.
      const bool in_time = std::chrono::steady_clock::now() < busy_deadline_;
      if (error.kind() != ErrorKind::conflict || !in_time) throw;
      std::this_thread::yield();
    }
  }
}

void Connection::check_schema() {
  if (schema_is_current_) return;
  refuse_other_schema(schema_version(*this), path_);
  schema_is_current_ = true;
}

void Connection::abandon() noexcept {
  for (auto& [text, statement] : statements_) statement.release();  // NOLINT: left to the parent.
  statements_.clear();
  handle_ = nullptr;
}

void Connection::fail(int code, std::string_view statement) {
  throw_failure(handle_, code, {.operation = operation_, .path = path_, .statement = statement});
}

}  // namespace penstock::sqlite::detail

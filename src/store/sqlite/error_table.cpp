// The table of result codes, and the messages made from it.
#include "store/sqlite/error_table.hpp"

#include <sqlite3.h>

#include <array>

namespace penstock::sqlite::detail {
namespace {

constexpr std::string_view kTryAgain = "try again later";
constexpr std::string_view kRunAgain = "run the transaction again";
constexpr std::string_view kReport = "please report it";

constexpr std::array kTable{
    ErrorRow{SQLITE_BUSY, ErrorKind::conflict,
             "another connection kept the write lock; run the transaction again"},
    ErrorRow{SQLITE_BUSY_SNAPSHOT, ErrorKind::conflict,
             "another connection wrote since this transaction first read; roll back, begin again "
             "with BEGIN IMMEDIATE and run the transaction again"},
    ErrorRow{SQLITE_BUSY_RECOVERY, ErrorKind::conflict, kRunAgain},
    ErrorRow{SQLITE_LOCKED, ErrorKind::conflict, kRunAgain},
    ErrorRow{SQLITE_SCHEMA, ErrorKind::conflict, kRunAgain},
    ErrorRow{SQLITE_ABORT, ErrorKind::conflict, kRunAgain},
    ErrorRow{SQLITE_PROTOCOL, ErrorKind::unavailable, kTryAgain},
    ErrorRow{SQLITE_INTERRUPT, ErrorKind::unavailable, kTryAgain},
    ErrorRow{SQLITE_NOMEM, ErrorKind::unavailable, "free memory and try again"},
    ErrorRow{SQLITE_FULL, ErrorKind::unavailable, "free space and try again"},
    ErrorRow{SQLITE_IOERR, ErrorKind::unavailable, "check the disk and try again"},
    ErrorRow{SQLITE_CANTOPEN, ErrorKind::unavailable,
             "check that the folder exists and that this user may write in it"},
    ErrorRow{SQLITE_READONLY, ErrorKind::unavailable,
             "give this user the right to write the file and its folder"},
    ErrorRow{
        SQLITE_READONLY_DBMOVED, ErrorKind::unavailable,
        "the file was moved or deleted while it was open; put it back or open the store again"},
    ErrorRow{SQLITE_PERM, ErrorKind::unavailable, "check the rights of the file"},
    ErrorRow{SQLITE_NOLFS, ErrorKind::unavailable, "move the file to another file system"},
    ErrorRow{SQLITE_CORRUPT, ErrorKind::unavailable,
             "the file is damaged; restore it from a backup, or try the .recover command of the "
             "sqlite3 shell"},
    ErrorRow{SQLITE_NOTADB, ErrorKind::unavailable,
             "the file is not an SQLite database, or it is damaged or encrypted; name another file "
             "or restore it from a backup"},
    ErrorRow{SQLITE_AUTH, ErrorKind::usage, "the connection's authorizer refused the statement"},
    ErrorRow{SQLITE_CONSTRAINT, ErrorKind::internal, kReport},
    ErrorRow{SQLITE_MISMATCH, ErrorKind::internal, kReport},
    ErrorRow{SQLITE_MISUSE, ErrorKind::internal, kReport},
    ErrorRow{SQLITE_RANGE, ErrorKind::internal, kReport},
    ErrorRow{SQLITE_TOOBIG, ErrorKind::internal, kReport},
    ErrorRow{SQLITE_INTERNAL, ErrorKind::internal, kReport},
    ErrorRow{SQLITE_ERROR, ErrorKind::internal, kReport},
};

// A missing table has no code of its own, only a text; it means that setup never ran here.
bool says_schema_is_missing(std::string_view text) noexcept {
  return text.find("no such table: penstock_") != std::string_view::npos ||
         text.find("no such table: main.penstock_") != std::string_view::npos ||
         text.find("no such column") != std::string_view::npos ||
         text.find("has no column named") != std::string_view::npos;
}

}  // namespace

std::span<const ErrorRow> error_table() noexcept { return kTable; }

const ErrorRow& row_of(int extended_code) noexcept {
  static constexpr ErrorRow kUnknown{SQLITE_ERROR, ErrorKind::internal, kReport};
  const ErrorRow* primary = &kUnknown;
  for (const ErrorRow& row : kTable) {
    if (row.code == extended_code) return row;
    if (row.code == (extended_code & 0xFF)) primary = &row;
  }
  return *primary;
}

ErrorKind kind_of(int extended_code, Stage stage) noexcept {
  // A write or fsync that fails during a commit may have reached the disk all the same.
  if (stage == Stage::commit && (extended_code & 0xFF) == SQLITE_IOERR) return ErrorKind::in_doubt;
  return row_of(extended_code).kind;
}

void throw_failure(sqlite3* database, int code, const Failure& failure) {
  // The connection's last error is about this call only where the primary codes agree.
  const int last = database == nullptr ? code : sqlite3_extended_errcode(database);
  const bool is_last = database != nullptr && (last & 0xFF) == (code & 0xFF);
  const int extended = is_last ? last : code;
  const std::string text = is_last ? sqlite3_errmsg(database) : sqlite3_errstr(extended);

  std::string message(failure.operation);
  if (!failure.statement.empty() && failure.statement != failure.operation) {
    message += " (" + std::string(failure.statement) + ")";
  }
  message += " on " + std::string(failure.path) + ": " + text;
  Error::Details details{.operation = std::string(failure.operation),
                         .store_code = std::to_string(extended)};
  if ((extended & 0xFF) == SQLITE_ERROR && says_schema_is_missing(text)) {
    throw Error(ErrorKind::schema,
                message +
                    "; the tables of penstock are missing or of another version: run "
                    "`penstock setup`",
                std::move(details));
  }
  const ErrorKind kind = kind_of(extended, failure.stage);
  message += " (SQLite code " + std::to_string(extended) + "); ";
  message += kind == ErrorKind::in_doubt
                 ? "the commit may have happened: ask, or run it again with the same event ids"
                 : row_of(extended).advice;
  throw Error(kind, message, std::move(details));
}

}  // namespace penstock::sqlite::detail

// What an SQLite result code means to the caller. The one place where codes become kinds.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "penstock/error.hpp"

struct sqlite3;

namespace penstock::sqlite::detail {

struct ErrorRow {
  int code;  ///< Extended where it differs from its primary code; else primary.
  ErrorKind kind;
  std::string_view advice;
};

/// For the test, which goes through it row by row.
[[nodiscard]] std::span<const ErrorRow> error_table() noexcept;

/// The row of an extended result code: its own, else that of its primary code, else `internal`.
[[nodiscard]] const ErrorRow& row_of(int extended_code) noexcept;

/// At which point of a transaction a call failed: only a commit can leave its effect unknown.
enum class Stage { before_commit, commit };

[[nodiscard]] ErrorKind kind_of(int extended_code, Stage stage) noexcept;

struct Failure {
  std::string_view operation;       ///< "publish", "claim", ….
  std::string_view path;            ///< Of the database.
  std::string_view statement = {};  ///< The name of the SQL file, or empty.
  Stage stage = Stage::before_commit;
};

/// Throws what the last failed call on `database` means. `code` is that call's result; it serves
/// where there is no connection to ask.
[[noreturn]] void throw_failure(sqlite3* database, int code, const Failure& failure);

}  // namespace penstock::sqlite::detail

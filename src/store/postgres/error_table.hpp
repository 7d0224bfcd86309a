// What an SQLSTATE or a lost connection means to the caller. The one place where codes become
// kinds.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "penstock/error.hpp"

struct pg_conn;
struct pg_result;

namespace penstock::postgres::detail {

struct ErrorRow {
  std::string_view code;  ///< An SQLSTATE; its first two characters for a class; "" for none.
  ErrorKind kind;
  std::string_view advice;
};

// Raised by our own functions with `using errcode`.
inline constexpr std::string_view kRaisedUsage = "PS001";
inline constexpr std::string_view kRaisedSchema = "PS002";
inline constexpr std::string_view kRaisedConflict = "PS003";
// By the upgrade from 0.1.0, which says itself what to do.
inline constexpr std::string_view kRaisedOldLease = "PS004";
inline constexpr std::string_view kRaisedOldLayout = "PS005";

/// For the test, which goes through it row by row.
[[nodiscard]] std::span<const ErrorRow> error_table() noexcept;

/// The row of an SQLSTATE: its own, else that of its class, else `internal`.
[[nodiscard]] const ErrorRow& row_of(std::string_view sqlstate) noexcept;

/// What is known of a statement whose answer never came.
enum class Stage {
  undone,  ///< Nothing of it stays, or it may be run again without harm.
  commit,  ///< It may have committed.
};

/// `lost`: the connection was gone after the call.
[[nodiscard]] ErrorKind kind_of(std::string_view sqlstate, bool lost, Stage stage) noexcept;

/// Whether running the whole transaction again, at once, is likely to succeed.
[[nodiscard]] bool is_worth_repeating(std::string_view sqlstate) noexcept;

/// Whether the session must not be used for anything more, though the socket may be open: the
/// server became read-only, or a prepared statement is not what it was.
[[nodiscard]] bool spoils_the_session(std::string_view sqlstate) noexcept;

struct Failure {
  std::string_view operation;       ///< "publish", "claim", ….
  std::string_view place;           ///< Database and schema, for the message.
  std::string_view statement = {};  ///< The name of the SQL file, or empty.
  Stage stage = Stage::undone;
};

/// Throws what a failed call means. `result` may be null: then the connection's own message tells.
[[noreturn]] void throw_failure(pg_conn* connection, const pg_result* result,
                                const Failure& failure);

}  // namespace penstock::postgres::detail

// The table of SQLSTATEs, and the messages made from it.
#include "store/postgres/error_table.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>

namespace penstock::postgres::detail {
namespace {

constexpr std::string_view kTryAgain = "try again later";
constexpr std::string_view kRunAgain = "run the transaction again";
constexpr std::string_view kReport = "please report it";
constexpr std::string_view kSetUp =
    "the tables of penstock are missing or of another version: run `penstock setup`";
constexpr std::string_view kRollBack = "roll the transaction back and run it again";
constexpr std::string_view kPooler =
    "a pooler seems to share sessions: open the store with pooler=true";

constexpr std::array kTable{
    // No SQLSTATE: libpq itself met the failure, and that is a lost or refused connection.
    ErrorRow{"", ErrorKind::unavailable, "check the address and that the server runs"},
    ErrorRow{"08", ErrorKind::unavailable, kTryAgain},
    ErrorRow{"08007", ErrorKind::in_doubt, ""},
    ErrorRow{"0A", ErrorKind::internal, kReport},
    ErrorRow{"0L", ErrorKind::unavailable, "grant this role what penstock needs"},
    ErrorRow{"0P", ErrorKind::unavailable, "check the role of the connection"},
    ErrorRow{"22", ErrorKind::usage, "the server refused a value"},
    ErrorRow{"22P05", ErrorKind::usage, "use a database with encoding UTF8"},
    ErrorRow{"23", ErrorKind::internal, kReport},
    ErrorRow{"23505", ErrorKind::conflict, kRunAgain},
    ErrorRow{"25", ErrorKind::usage, kRollBack},
    ErrorRow{"25006", ErrorKind::unavailable,
             "the server is read only, perhaps after a failover; connect to the primary"},
    ErrorRow{"25P02", ErrorKind::conflict, kRollBack},
    ErrorRow{"25P03", ErrorKind::unavailable,
             "the transaction was idle for too long and was ended; run it again"},
    ErrorRow{"26", ErrorKind::usage, kPooler},
    ErrorRow{"28", ErrorKind::unavailable, "check user and password"},
    ErrorRow{"3B", ErrorKind::usage, kRollBack},
    ErrorRow{"3D", ErrorKind::unavailable, "make the database, or name another"},
    ErrorRow{"3F", ErrorKind::schema, kSetUp},
    ErrorRow{"40", ErrorKind::conflict, kRunAgain},
    ErrorRow{"40003", ErrorKind::in_doubt, ""},
    ErrorRow{"42", ErrorKind::internal, kReport},
    ErrorRow{"42501", ErrorKind::unavailable, "grant this role what penstock needs"},
    ErrorRow{"42703", ErrorKind::schema, kSetUp},
    ErrorRow{"42883", ErrorKind::schema, kSetUp},
    ErrorRow{"42P01", ErrorKind::schema, kSetUp},
    ErrorRow{"42P05", ErrorKind::usage, kPooler},
    ErrorRow{"53", ErrorKind::unavailable, "free resources of the server and try again"},
    ErrorRow{"53300", ErrorKind::unavailable,
             "raise max_connections, lower pool_size or use a pooler"},
    ErrorRow{"54", ErrorKind::usage, "a value is too large for the server"},
    ErrorRow{"55", ErrorKind::unavailable, kTryAgain},
    ErrorRow{"55P03", ErrorKind::conflict, kRunAgain},
    ErrorRow{"57", ErrorKind::unavailable, kTryAgain},
    ErrorRow{"57014", ErrorKind::unavailable,
             "the statement was cancelled, perhaps by statement_timeout; try again later"},
    ErrorRow{"58", ErrorKind::unavailable, "check the disk of the server"},
    ErrorRow{"72", ErrorKind::conflict, kRunAgain},
    ErrorRow{kRaisedUsage, ErrorKind::usage, ""},
    ErrorRow{kRaisedSchema, ErrorKind::schema, kSetUp},
    ErrorRow{kRaisedConflict, ErrorKind::conflict, kRunAgain},
    ErrorRow{kRaisedOldLease, ErrorKind::conflict, ""},
    ErrorRow{kRaisedOldLayout, ErrorKind::schema, ""},
    ErrorRow{"XX", ErrorKind::internal, kReport},
    ErrorRow{"XX001", ErrorKind::unavailable, "the database is damaged; restore it from a backup"},
    ErrorRow{"XX002", ErrorKind::unavailable, "an index is damaged; rebuild it with REINDEX"},
};

std::string_view field_of(const PGresult* result, int field) {
  const char* value = result == nullptr ? nullptr : PQresultErrorField(result, field);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

/// One line, without a full stop and without the details, which may quote values.
std::string primary_message(PGconn* connection, const PGresult* result) {
  std::string text(field_of(result, PG_DIAG_MESSAGE_PRIMARY));
  if (text.empty() && connection != nullptr) text = PQerrorMessage(connection);
  if (text.empty()) text = "the connection failed";
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

}  // namespace

std::span<const ErrorRow> error_table() noexcept { return kTable; }

const ErrorRow& row_of(std::string_view sqlstate) noexcept {
  static constexpr ErrorRow kUnknown{"?", ErrorKind::internal, kReport};
  const ErrorRow* of_class = &kUnknown;
  for (const ErrorRow& row : kTable) {
    if (row.code == sqlstate) return row;
    if (row.code.size() == 2 && sqlstate.starts_with(row.code)) of_class = &row;
  }
  return *of_class;
}

ErrorKind kind_of(std::string_view sqlstate, bool lost, Stage stage) noexcept {
  // Poolers tell of a lost server with codes of class 08. One of class 57 is the server's own word
  // that it ended the statement.
  const bool unanswered = (lost && sqlstate.empty()) || sqlstate.starts_with("08") ||
                          (lost && (sqlstate.starts_with("58") || sqlstate.starts_with("XX")));
  if (stage == Stage::commit && unanswered) return ErrorKind::in_doubt;
  const ErrorKind kind = row_of(sqlstate).kind;
  // Nobody minds what became of it.
  if (kind == ErrorKind::in_doubt && stage == Stage::undone) return ErrorKind::unavailable;
  return kind;
}

bool is_worth_repeating(std::string_view sqlstate) noexcept {
  return sqlstate == "40001" || sqlstate == "40P01" || sqlstate == "55P03" ||
         sqlstate == kRaisedConflict;
}

bool spoils_the_session(std::string_view sqlstate) noexcept {
  return sqlstate == "25006" || sqlstate == "26000" || sqlstate == "0A000" || sqlstate == "42P05" ||
         sqlstate.starts_with("08") || sqlstate.starts_with("57P");
}

void throw_failure(pg_conn* connection, const pg_result* result, const Failure& failure) {
  const std::string_view sqlstate = field_of(result, PG_DIAG_SQLSTATE);
  const bool lost = connection == nullptr || PQstatus(connection) != CONNECTION_OK;
  const ErrorKind kind = kind_of(sqlstate, lost, failure.stage);

  std::string message(failure.operation);
  if (!failure.statement.empty() && failure.statement != failure.operation) {
    message += " (" + std::string(failure.statement) + ")";
  }
  message += " on " + std::string(failure.place) + ": " + primary_message(connection, result);
  if (!sqlstate.empty()) message += " (SQLSTATE " + std::string(sqlstate) + ")";
  const std::string_view advice =
      kind == ErrorKind::in_doubt
          ? "the commit may have happened: ask, or run it again with the same event ids"
          : row_of(sqlstate).advice;
  if (!advice.empty()) message += "; " + std::string(advice);
  throw Error(kind, message,
              {.operation = std::string(failure.operation), .store_code = std::string(sqlstate)});
}

}  // namespace penstock::postgres::detail

// What each SQLSTATE means, row by row.
#include "store/postgres/error_table.hpp"

#include <gtest/gtest.h>

#include <set>

namespace penstock::postgres::detail {
namespace {

struct Expected {
  std::string_view sqlstate;
  ErrorKind kind;
};

constexpr Expected kExpected[] = {
    {"", ErrorKind::unavailable},       // libpq's own: no connection
    {"08000", ErrorKind::unavailable},  // connection exception
    {"08006", ErrorKind::unavailable},  // connection failure
    {"08007", ErrorKind::in_doubt},     // transaction resolution unknown
    {"08P01", ErrorKind::unavailable},  // protocol violation: what PgBouncer says of a lost server
    {"0A000", ErrorKind::internal},     // feature not supported
    {"0L000", ErrorKind::unavailable},  // invalid grantor
    {"0P000", ErrorKind::unavailable},  // invalid role
    {"22001", ErrorKind::usage},        // data exception
    {"22P05", ErrorKind::usage},        // untranslatable character
    {"23502", ErrorKind::internal},     // not null violation
    {"23505", ErrorKind::conflict},     // unique violation
    {"25001", ErrorKind::usage},        // active transaction
    {"25006", ErrorKind::unavailable},  // read only
    {"25P02", ErrorKind::conflict},     // in failed transaction
    {"25P03", ErrorKind::unavailable},  // idle in transaction for too long
    {"26000", ErrorKind::usage},        // no such prepared statement
    {"28P01", ErrorKind::unavailable},  // wrong password
    {"3B001", ErrorKind::usage},        // invalid savepoint
    {"3D000", ErrorKind::unavailable},  // no such database
    {"3F000", ErrorKind::schema},       // no such schema
    {"40001", ErrorKind::conflict},     // serialization failure
    {"40P01", ErrorKind::conflict},     // deadlock
    {"40003", ErrorKind::in_doubt},     // statement completion unknown
    {"42601", ErrorKind::internal},     // syntax error
    {"42501", ErrorKind::unavailable},  // insufficient privilege
    {"42703", ErrorKind::schema},       // no such column
    {"42883", ErrorKind::schema},       // no such function
    {"42P01", ErrorKind::schema},       // no such table
    {"42P05", ErrorKind::usage},        // duplicate prepared statement
    {"53100", ErrorKind::unavailable},  // disk full
    {"53300", ErrorKind::unavailable},  // too many connections
    {"54000", ErrorKind::usage},        // program limit exceeded
    {"55006", ErrorKind::unavailable},  // object in use
    {"55P03", ErrorKind::conflict},     // lock not available
    {"57014", ErrorKind::unavailable},  // query cancelled, statement timeout
    {"57P01", ErrorKind::unavailable},  // admin shutdown
    {"57P03", ErrorKind::unavailable},  // cannot connect now
    {"58030", ErrorKind::unavailable},  // I/O error
    {"72000", ErrorKind::conflict},     // snapshot too old
    {"PS001", ErrorKind::usage},        // raised by our functions
    {"PS002", ErrorKind::schema},      {"PS003", ErrorKind::conflict},
    {"PS004", ErrorKind::conflict},     // a worker of 0.1.0 holds a lease
    {"PS005", ErrorKind::schema},       // tables of 0.1.0 that cannot be converted
    {"XX000", ErrorKind::internal},     // internal error
    {"XX001", ErrorKind::unavailable},  // data corrupted
    {"XX002", ErrorKind::unavailable},  // index corrupted
    {"P0001", ErrorKind::internal},     // raised by somebody else
};

TEST(PostgresErrorTable, GivesEachCodeItsKind) {
  for (const Expected& expected : kExpected) {
    EXPECT_EQ(row_of(expected.sqlstate).kind, expected.kind) << expected.sqlstate;
  }
}

TEST(PostgresErrorTable, HasNoRowThatIsNotTestedHere) {
  std::set<std::string_view> reached;
  for (const Expected& expected : kExpected) reached.insert(row_of(expected.sqlstate).code);
  for (const ErrorRow& row : error_table()) {
    EXPECT_TRUE(reached.contains(row.code)) << row.code;
  }
}

TEST(PostgresErrorTable, HasEachCodeOnceAndAdviceForAll) {
  std::set<std::string_view> codes;
  for (const ErrorRow& row : error_table()) {
    EXPECT_TRUE(codes.insert(row.code).second) << row.code;
    const bool speaks_for_itself = row.kind == ErrorKind::in_doubt || row.code == kRaisedUsage ||
                                   row.code == kRaisedOldLease || row.code == kRaisedOldLayout;
    EXPECT_NE(row.advice.empty(), !speaks_for_itself) << row.code;
  }
}

TEST(PostgresErrorTable, IsInDoubtOnlyWhereACommitWentUnanswered) {
  for (const std::string_view lost : {"", "08006", "08P01", "58030", "XX000"}) {
    EXPECT_EQ(kind_of(lost, true, Stage::commit), ErrorKind::in_doubt) << lost;
    EXPECT_NE(kind_of(lost, true, Stage::undone), ErrorKind::in_doubt) << lost;
  }
  EXPECT_EQ(kind_of("08007", false, Stage::undone), ErrorKind::unavailable);
  EXPECT_EQ(kind_of("40003", false, Stage::commit), ErrorKind::in_doubt);
  // The server said itself that it ended the statement, and then hung up.
  EXPECT_EQ(kind_of("57P01", true, Stage::commit), ErrorKind::unavailable);
  // Never sent.
  EXPECT_EQ(kind_of("", false, Stage::commit), ErrorKind::unavailable);
}

TEST(PostgresErrorTable, RepeatsOnlyWhatOthersAreToBlameFor) {
  for (const std::string_view code : {"40001", "40P01", "55P03", "PS003"}) {
    EXPECT_TRUE(is_worth_repeating(code)) << code;
  }
  for (const std::string_view code : {"", "23505", "25P02", "57014", "42P01"}) {
    EXPECT_FALSE(is_worth_repeating(code)) << code;
  }
}

TEST(PostgresErrorTable, LeavesSessionsThatCannotServe) {
  for (const std::string_view code : {"25006", "26000", "0A000", "42P05", "08P01", "57P01"}) {
    EXPECT_TRUE(spoils_the_session(code)) << code;
  }
  for (const std::string_view code : {"40001", "57014", "42P01", "23505"}) {
    EXPECT_FALSE(spoils_the_session(code)) << code;
  }
}

}  // namespace
}  // namespace penstock::postgres::detail

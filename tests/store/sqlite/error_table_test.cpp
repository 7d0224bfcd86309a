// Every row of the table of result codes, and what no row names.
#include "store/sqlite/error_table.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>

namespace penstock::sqlite::detail {
namespace {

TEST(SqliteErrorTable, SaysWhatEachCodeMeansToTheCaller) {
  const std::map<int, ErrorKind> expected{
      {SQLITE_BUSY, ErrorKind::conflict},
      {SQLITE_BUSY_SNAPSHOT, ErrorKind::conflict},
      {SQLITE_BUSY_RECOVERY, ErrorKind::conflict},
      {SQLITE_LOCKED, ErrorKind::conflict},
      {SQLITE_SCHEMA, ErrorKind::conflict},
      {SQLITE_ABORT, ErrorKind::conflict},
      {SQLITE_PROTOCOL, ErrorKind::unavailable},
      {SQLITE_INTERRUPT, ErrorKind::unavailable},
      {SQLITE_NOMEM, ErrorKind::unavailable},
      {SQLITE_FULL, ErrorKind::unavailable},
      {SQLITE_IOERR, ErrorKind::unavailable},
      {SQLITE_CANTOPEN, ErrorKind::unavailable},
      {SQLITE_READONLY, ErrorKind::unavailable},
      {SQLITE_READONLY_DBMOVED, ErrorKind::unavailable},
      {SQLITE_PERM, ErrorKind::unavailable},
      {SQLITE_NOLFS, ErrorKind::unavailable},
      {SQLITE_CORRUPT, ErrorKind::unavailable},
      {SQLITE_NOTADB, ErrorKind::unavailable},
      {SQLITE_AUTH, ErrorKind::usage},
      {SQLITE_CONSTRAINT, ErrorKind::internal},
      {SQLITE_MISMATCH, ErrorKind::internal},
      {SQLITE_MISUSE, ErrorKind::internal},
      {SQLITE_RANGE, ErrorKind::internal},
      {SQLITE_TOOBIG, ErrorKind::internal},
      {SQLITE_INTERNAL, ErrorKind::internal},
      {SQLITE_ERROR, ErrorKind::internal},
  };

  EXPECT_EQ(error_table().size(), expected.size());
  for (const ErrorRow& row : error_table()) {
    ASSERT_TRUE(expected.contains(row.code)) << row.code;
    EXPECT_EQ(row.kind, expected.at(row.code)) << row.code;
    EXPECT_FALSE(row.advice.empty()) << row.code;
  }
}

TEST(SqliteErrorTable, AnExtendedCodeWithoutARowTakesThatOfItsPrimary) {
  EXPECT_EQ(kind_of(SQLITE_IOERR_FSYNC, Stage::before_commit), ErrorKind::unavailable);
  EXPECT_EQ(kind_of(SQLITE_CONSTRAINT_UNIQUE, Stage::before_commit), ErrorKind::internal);
  EXPECT_EQ(kind_of(SQLITE_LOCKED_SHAREDCACHE, Stage::before_commit), ErrorKind::conflict);
}

TEST(SqliteErrorTable, AnUnknownCodeIsOurFault) {
  EXPECT_EQ(kind_of(77, Stage::before_commit), ErrorKind::internal);
}

TEST(SqliteErrorTable, OnlyACommitCanBeInDoubt) {
  EXPECT_EQ(kind_of(SQLITE_IOERR_FSYNC, Stage::commit), ErrorKind::in_doubt);
  EXPECT_EQ(kind_of(SQLITE_IOERR_WRITE, Stage::commit), ErrorKind::in_doubt);
  EXPECT_EQ(kind_of(SQLITE_FULL, Stage::commit), ErrorKind::unavailable);
  EXPECT_EQ(kind_of(SQLITE_BUSY, Stage::commit), ErrorKind::conflict);
}

TEST(SqliteErrorTable, TheMessageNamesOperationFileCodeAndWhatToDo) {
  try {
    throw_failure(nullptr, SQLITE_FULL,
                  {.operation = "publish", .path = "/x/orders.db", .statement = "insert_event"});
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "publish (insert_event) on /x/orders.db: database or disk is full (SQLite code "
                 "13); free space and try again");
    EXPECT_EQ(error.operation(), "publish");
    EXPECT_EQ(error.store_code(), "13");
    return;
  }
  FAIL() << "nothing was thrown";
}

}  // namespace
}  // namespace penstock::sqlite::detail

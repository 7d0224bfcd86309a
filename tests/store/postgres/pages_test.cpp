// What one delivery costs on the pages: the evidence behind the design, and `penstock pages`.
#include "penstock/pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penstock/error.hpp"
#include "support/postgres_server.hpp"

namespace penstock::test {
namespace {

class PagesTest : public testing::Test {
 protected:
  static std::int64_t entries_of(const TablePages& pages) {
    std::int64_t entries = 0;
    for (const PageIndex& index : pages.indexes) entries += index.entries;
    return entries;
  }
  const Session superuser_{server_url(shared_server())};
};

TEST_F(PagesTest, OneDeliveryLeavesOneTupleAndAnEntryPerIndexThatHoldsIt) {
  superuser_.ask("create extension if not exists pageinspect");

  const std::vector<PageEvidence> found = inspect_pages(server_url(shared_server()));

  ASSERT_EQ(found.size(), 2U);
  for (const PageEvidence& evidence : found) {
    SCOPED_TRACE(evidence.keyed ? "keyed" : "unkeyed");
    EXPECT_EQ(evidence.deliveries.inserted, 1);
    EXPECT_EQ(evidence.deliveries.updated, 0);
    EXPECT_EQ(evidence.deliveries.deleted, 1);
    EXPECT_EQ(evidence.deliveries.tuples.size(), 1U);
    EXPECT_EQ(entries_of(evidence.deliveries), evidence.keyed ? 4 : 3);
    EXPECT_GE(evidence.lanes.updated, 1);
    EXPECT_EQ(evidence.lanes.heap_only, evidence.lanes.updated);
    EXPECT_EQ(evidence.lanes.inserted, 0);
  }
  EXPECT_EQ(
      superuser_.ask("select count(*) from pg_namespace where nspname like 'penstock_pages%'"),
      "0");
}

TEST_F(PagesTest, SaysWhatIsMissing) {
  EXPECT_THROW(static_cast<void>(inspect_pages("memory:")), Error);
  superuser_.ask("create database without_pageinspect");
  try {
    static_cast<void>(inspect_pages(server_url(shared_server(), "dbname=without_pageinspect")));
    FAIL() << "pageinspect is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_THAT(error.what(), testing::HasSubstr("create extension pageinspect"));
  }
  superuser_.ask("drop database without_pageinspect");
}

TEST_F(PagesTest, SaysThatItTakesASuperuser) {
  superuser_.ask("create role pages_reader login");
  superuser_.ask("grant create on database postgres to pages_reader");
  const std::string url =
      "postgresql://pages_reader@/postgres?host=" + shared_server() + "&port=5433";
  try {
    static_cast<void>(inspect_pages(url));
    ADD_FAILURE() << "it was let in";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("only a superuser"));
  }
  superuser_.ask("revoke create on database postgres from pages_reader");
  superuser_.ask("drop role pages_reader");
}

}  // namespace
}  // namespace penstock::test

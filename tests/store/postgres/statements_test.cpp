// Every statement of the SQL files is prepared against a live server, and every function is plain.
#include "store/postgres/sql.hpp"

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <fstream>
#include <iterator>

#include "penstock/stores/postgres.hpp"
#include "store/postgres/names.hpp"
#include "support/postgres_server.hpp"
#include "work/delivery_state.hpp"
#include "work/lane_hash.hpp"

namespace penstock::test {
namespace {

using postgres::detail::Names;
using postgres::detail::SqlText;
namespace sql = postgres::detail::sql;

// Its functions are there only where somebody made the extension: see pages_test.cpp.
bool needs_pageinspect(const std::string& text) {
  return text.find("get_raw_page") != std::string::npos ||
         text.find("bt_page_stats") != std::string::npos;
}

bool is_one_statement(const std::string& text) {
  const auto starts_with = [&](std::string_view word) { return text.starts_with(word); };
  const bool begins_as_one = starts_with("select") || starts_with("insert") ||
                             starts_with("update") || starts_with("delete") || starts_with("with");
  return begins_as_one && text.find(';') == std::string::npos;
}

class PostgresStatements : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { store_.bus().setup(SetupMode::migrate); }

  const TestSchema schema_;
  const Session user_{schema_.url()};
  const Names names_{schema_.name(), GetParam()};
  PostgresStore store_{
      {.connection = schema_.url(), .schema = schema_.name(), .prefix = GetParam()}};
};

TEST_P(PostgresStatements, AreAllTakenByTheServer) {
  int prepared = 0;
  for (const SqlText* text : sql::kAll) {
    const std::string rendered = names_.render(text->text);
    if (!is_one_statement(rendered) || needs_pageinspect(rendered)) continue;
    PGresult* result =
        PQprepare(user_.handle(), std::string(text->name).c_str(), rendered.c_str(), 0, nullptr);
    EXPECT_EQ(PQresultStatus(result), PGRES_COMMAND_OK)
        << text->name << ": " << PQresultErrorMessage(result);
    PQclear(result);
    ++prepared;
  }
  EXPECT_GT(prepared, 25);
}

TEST_P(PostgresStatements, SayOnTopWhatTheyAreFor) {
  for (const SqlText* text : sql::kAll) {
    EXPECT_TRUE(text->text.starts_with("-- ")) << text->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Plain, PostgresStatements, testing::Values(""));
INSTANTIATE_TEST_SUITE_P(Prefixed, PostgresStatements, testing::Values("it's a \"prefix\" "));

std::string file(const std::string& path) {
  std::ifstream in(PENSTOCK_SOURCE_FOLDER "/" + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Where it differs on purpose, schema.sql becomes what this test found, below the same heading.
TEST(PostgresSchema, IsTheOneThatIsCommitted) {
  const TestSchema schema;
  PostgresStore store{{.connection = schema.url(), .schema = schema.name()}};
  store.bus().setup(SetupMode::migrate);
  const Session user{schema.url()};
  user.ask("set search_path = \"" + schema.name() + "\"");

  const std::string found = user.ask(file("tests/store/postgres/describe_schema.sql"));

  std::string committed = file("src/store/postgres/schema.sql");
  committed.erase(0, committed.find("create type"));
  EXPECT_EQ(found + "\n", committed);
}

TEST(PostgresFunctions, GiveAWorkerLostTheErrorThatEveryStoreGives) {
  EXPECT_NE(sql::function_take_over.text.find(work::kWorkerLost), std::string_view::npos);
}

}  // namespace
}  // namespace penstock::test

// Every SQL file against a fresh schema, and the schema itself.
#include <fstream>
#include <sstream>

#include "store/sqlite/sql.hpp"
#include "store/sqlite/sqlite_file.hpp"

namespace penstock::test {
namespace {

using sqlite::detail::SqlText;

using SqliteStatements = SqliteFile;

bool is_migration(const SqlText& sql) { return sql.name.starts_with("migration_"); }

TEST_F(SqliteStatements, EachPreparesAgainstAFreshSchema) {
  const auto store = set_up();
  PlainConnection plain{path()};

  for (const SqlText* sql : sqlite::detail::sql::kAll) {
    if (is_migration(*sql)) continue;
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(plain.handle(), sql->text.data(), -1, &statement, &rest),
              SQLITE_OK)
        << sql->name << ": " << sqlite3_errmsg(plain.handle());
    EXPECT_STREQ(rest, "") << sql->name << " has more than one statement";
    sqlite3_finalize(statement);
  }
}

TEST_F(SqliteStatements, EachBeginsWithItsPurpose) {
  for (const SqlText* sql : sqlite::detail::sql::kAll) {
    EXPECT_TRUE(sql->text.starts_with("-- ")) << sql->name;
  }
}

TEST_F(SqliteStatements, EachSaysAllItsParameters) {
  const auto store = set_up();
  PlainConnection plain{path()};

  for (const SqlText* sql : sqlite::detail::sql::kAll) {
    if (is_migration(*sql)) continue;
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(plain.handle(), sql->text.data(), -1, &statement, nullptr),
              SQLITE_OK);
    const std::string_view block =
        sql->text.substr(0, sql->text.find("\n", sql->text.rfind("\n-- ") + 1));
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i) {
      EXPECT_NE(block.find("?" + std::to_string(i)), std::string_view::npos)
          << sql->name << " does not say what ?" << i << " is";
    }
    sqlite3_finalize(statement);
  }
}

// The committed schema.sql shows a reviewer what the migrations add up to.
TEST_F(SqliteStatements, TheMigratedSchemaIsTheCommittedOne) {
  const auto store = set_up();
  PlainConnection plain{path()};
  std::string migrated;
  for (const std::string& sql : plain.texts(
           "select sql from sqlite_schema where sql is not null and name not like 'sqlite_%'"
           " order by tbl_name, type desc, name")) {
    migrated += "\n" + sql + ";\n";
  }

  std::ifstream file(PENSTOCK_SQLITE_SCHEMA_FILE);
  std::stringstream committed;
  committed << file.rdbuf();

  EXPECT_EQ(committed.str(),
            "-- The result of all migrations. Compared by a test; written by nobody.\n" + migrated);
}

// A claim must not depend on how the planner feels: these name the index that serves them.
TEST_F(SqliteStatements, HotStatementsUseTheirIndexes) {
  const auto store = set_up();
  PlainConnection plain{path()};
  const auto plan_of = [&](const SqlText& sql) {
    std::string plan;
    sqlite3_stmt* statement = nullptr;
    const std::string text = "explain query plan " + std::string(sql.text);
    EXPECT_EQ(sqlite3_prepare_v2(plain.handle(), text.c_str(), -1, &statement, nullptr), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const void* line = sqlite3_column_text(statement, 3);
      plan += std::string(static_cast<const char*>(line)) + "\n";
    }
    sqlite3_finalize(statement);
    return plan;
  };
  using namespace sqlite::detail;

  for (const SqlText* sql :
       {&sql::pick, &sql::runs, &sql::next_due, &sql::held, &sql::complete, &sql::let_go,
        &sql::promote, &sql::demote, &sql::record_in_flight, &sql::release, &sql::charge,
        &sql::reschedule, &sql::bury, &sql::purge_dead, &sql::purge_events, &sql::purge_history,
        &sql::purge_keys, &sql::insert_delivery}) {
    const std::string plan = plan_of(*sql);
    for (const char* table :
         {"penstock_deliveries", "d", "n", "o", "e", "f", "k", "penstock_in_flight"}) {
      EXPECT_EQ(plan.find("SCAN " + std::string(table) + "\n"), std::string::npos)
          << sql->name << " scans:\n"
          << plan;
    }
  }
  EXPECT_NE(plan_of(sql::pick).find("penstock_deliveries_to_claim (handler=? AND suspect=? AND "
                                    "lane=? AND available_at<?)"),
            std::string::npos)
      << plan_of(sql::pick);
  EXPECT_NE(plan_of(sql::held).find("(lane=? AND delivery=?)"), std::string::npos)
      << plan_of(sql::held);
}

}  // namespace
}  // namespace penstock::test

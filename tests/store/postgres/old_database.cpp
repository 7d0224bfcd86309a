// The database of version 0.1.0.
#include "store/postgres/old_database.hpp"

#include <fstream>
#include <sstream>

namespace penstock::postgres::detail {
namespace {

std::string file(const std::string& name) {
  std::ifstream in(PENSTOCK_POSTGRES_TEST_FOLDER "/" + name);
  EXPECT_TRUE(in) << name;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

OldDatabase::OldDatabase() : session_(schema_.url()) { make_tables(); }

PostgresStoreOptions OldDatabase::options() const {
  return {.connection = schema_.url(), .schema = schema_.name(), .prefix = "relaybus_"};
}

void OldDatabase::make_tables() const {
  ask("drop schema if exists " + schema() + " cascade; create schema " + schema() +
      "; set search_path = " + schema() + "; set client_min_messages = warning");
  ask(file("legacy-0.1.0.sql"));
}

void OldDatabase::fill() const { ask(file("rows-0.1.0.sql")); }

void OldDatabase::fill_with(std::size_t rows) const {
  std::string sql = file("many-rows-0.1.0.sql");
  for (std::size_t at = 0; (at = sql.find(":rows", at)) != std::string::npos;) {
    sql.replace(at, 5, std::to_string(rows));
  }
  ask(sql);
}

void OldDatabase::upgrade(OldLeases old_leases) const { Database(options()).create(old_leases); }

std::optional<Error> OldDatabase::refusal(OldLeases old_leases) const {
  try {
    upgrade(old_leases);
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

bool OldDatabase::is_old() const {
  return ask("select count(*) from pg_attribute where attname = 'lease_token' and attrelid = "
             "to_regclass('relaybus_deliveries')") == "1";
}

bool OldDatabase::is_current() const {
  try {
    Database(options()).check();
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::schema) << error.what();
    return false;
  }
}

std::string OldDatabase::shape() const { return ask(file("shape.sql")); }

std::string OldDatabase::old_content() const {
  return ask(
      "select md5((select string_agg(e::text, '' order by id) from relaybus_events e)"
      " || (select string_agg(d::text, '' order by id) from relaybus_deliveries d)"
      " || (select string_agg(k::text, '' order by key) from relaybus_keys k))");
}

}  // namespace penstock::postgres::detail

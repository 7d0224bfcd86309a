// The migrator. Everything happens in one transaction under an advisory lock of that transaction,
// so that many starters at once, a pooler in between and a kill at any point are all harmless.
#include "store/postgres/migrate.hpp"

#include <libpq-fe.h>

#include <array>
#include <string_view>

#include "base/mutant.hpp"
#include "penstock/error.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/sql.hpp"

namespace penstock::postgres::detail {
namespace {

constexpr std::array kMigrations{&sql::migration_0001_bus, &sql::migration_0002_queue};

// So that an upgrade that has to wait for a long transaction does not hold up everybody behind it.
constexpr const char* kPatience = "set local lock_timeout = '10s'";

std::string lock_statement(const Names& names) {
  return "select pg_advisory_xact_lock(" + std::to_string(names.setup_lock()) + ")";
}

std::string place_of(const Names& names) {
  const std::string prefix =
      names.prefix().empty() ? "" : " with prefix " + quoted_identifier(names.prefix());
  return "schema " + quoted_identifier(names.schema()) + prefix;
}

void refuse_newer(int version, const Names& names) {
  if (version <= current_schema_version()) return;
  throw Error(ErrorKind::schema, "the penstock tables in " + place_of(names) + " have version " +
                                     std::to_string(version) + ", newer than version " +
                                     std::to_string(current_schema_version()) +
                                     " that this program knows: upgrade the program");
}

// Texts are UTF-8; another encoding could not keep them all.
void refuse_other_encoding(Connection& connection) {
  const char* encoding = PQparameterStatus(connection.handle(), "server_encoding");
  if (encoding == nullptr || std::string_view(encoding) == "UTF8") return;
  throw Error(ErrorKind::schema, "the database has the encoding " + std::string(encoding) +
                                     "; penstock needs one with UTF8: create database … encoding "
                                     "'UTF8' template template0");
}

struct Found {
  bool schema = false;
  int version = 0;
};

Found look(Connection& connection) {
  const Result there = connection.query(sql::has_tables);
  Found found{.schema = there.only().boolean(0)};
  if (!there.only().boolean(1)) return found;
  const Result version = connection.query(sql::schema_version);
  if (!version.empty()) found.version = static_cast<int>(version[0].integer(0));
  return found;
}

/// What makes the current tables in a schema that has none, as a piece of a script.
std::string table_statements(const Names& names) {
  std::string script;
  for (const SqlText* migration : kMigrations) script += names.render(migration->text) + "\n";
  for (const SqlText* function : sql::kFunctions) script += names.render(function->text) + "\n";
  return script + "insert into " + names.qualified("meta") +
         "(name, value) values ('schema_version', " + std::to_string(current_schema_version()) +
         ");\n";
}

bool has_old_tables(Connection& connection) {
  return connection.query(sql::has_old_tables).only().boolean(0);
}

/// Runs what is left to do, in the transaction that holds the lock.
void apply(Connection& connection, int version) {
  const Names& names = connection.names();
  for (auto number = static_cast<std::size_t>(version); number < kMigrations.size(); ++number) {
    connection.execute(names.render(kMigrations.at(number)->text));
  }
  for (const SqlText* function : sql::kFunctions) {
    connection.execute(names.render(base::as_mutated(function->text)));
  }
  connection.run(sql::set_schema_version, std::int64_t{current_schema_version()});
}

void upgrade(Connection& connection, OldLeases old_leases) {
  const Names& names = connection.names();
  if (old_leases == OldLeases::respect) {
    connection.execute(names.render(sql::refuse_live_leases.text));
  }
  connection.execute(names.render(sql::set_aside.text));
  apply(connection, 0);
  connection.execute(names.render(sql::convert.text));
}

}  // namespace

int current_schema_version() noexcept { return static_cast<int>(kMigrations.size()); }

int schema_version(Connection& connection) {
  try {
    const Result version = connection.query(sql::schema_version);
    return version.empty() ? 0 : static_cast<int>(version[0].integer(0));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::schema) throw;
    return 0;
  }
}

void refuse_other_schema(int version, Connection& connection) {
  const Names& names = connection.names();
  refuse_newer(version, names);
  if (version == current_schema_version()) return;
  std::string found = place_of(names) + " has no penstock tables";
  if (version > 0) {
    found = "the penstock tables in " + place_of(names) + " have version " +
            std::to_string(version) + ", this program needs version " +
            std::to_string(current_schema_version());
  } else if (has_old_tables(connection)) {
    found = place_of(names) + " has the tables of version 0.1.0, whose workers have to be stopped";
  }
  throw Error(ErrorKind::schema, found + ": run `penstock setup` with the same --db");
}

std::string schema_script(const Names& names) {
  return "begin;\n" + lock_statement(names) + ";\ncreate schema if not exists " +
         quoted_identifier(names.schema()) + ";\n\n" + table_statements(names) + "commit;\n";
}

std::string upgrade_script(const Names& names) {
  return "begin;\n" + lock_statement(names) + ";\n" + kPatience + ";\n\n" +
         names.render(sql::refuse_live_leases.text) + "\n" + names.render(sql::set_aside.text) +
         "\n" + table_statements(names) + names.render(sql::convert.text) + "commit;\n";
}

std::string roles_script(const Names& names) { return names.render(sql::roles.text); }

Migrated migrate(Connection& connection, OldLeases old_leases) {
  const Names& names = connection.names();
  refuse_other_encoding(connection);
  refuse_newer(look(connection).version, names);
  if (look(connection).version == current_schema_version()) return Migrated::nothing;

  connection.begin();
  connection.execute(lock_statement(names));
  connection.execute(kPatience);
  // Others may have been here while we waited for the lock.
  const Found found = look(connection);
  refuse_newer(found.version, names);
  if (!found.schema) connection.execute("create schema " + quoted_identifier(names.schema()));
  Migrated done = Migrated::nothing;
  if (found.version == 0 && has_old_tables(connection)) {
    upgrade(connection, old_leases);
    done = Migrated::upgraded;
  } else if (found.version < current_schema_version()) {
    apply(connection, found.version);
    done = found.version == 0 ? Migrated::made : Migrated::upgraded;
  }
  connection.commit();
  return done;
}

std::vector<OldTables> find_old_tables(Connection& connection) {
  std::vector<OldTables> tables;
  const Result found = connection.query(sql::find_old_tables);
  for (const Row row : found) {
    tables.push_back({std::string(row.text(0)), std::string(row.text(1))});
  }
  return tables;
}

void drop_tables(Connection& connection) {
  const Names& names = connection.names();
  connection.begin();
  connection.execute(lock_statement(names));
  for (const SqlText* function : sql::kFunctions) {
    constexpr std::string_view kFolder = "function_";
    connection.execute("drop routine if exists " +
                       names.qualified(function->name.substr(kFolder.size())));
  }
  connection.execute(names.render(sql::drop_tables.text));
  connection.execute(names.render(sql::drop_schema.text));
  connection.commit();
}

}  // namespace penstock::postgres::detail

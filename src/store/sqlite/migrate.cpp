// The migrator. The version row is written in the transaction of the migration itself, under the
// write lock of the file, so that many starters at once and a kill at any point are all harmless.
#include "store/sqlite/migrate.hpp"

#include <array>
#include <filesystem>

#include "penstock/error.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/sql.hpp"

namespace penstock::sqlite::detail {
namespace {

constexpr std::array kMigrations{&sql::migration_0001_bus, &sql::migration_0002_queue};

bool has_tables(Connection& connection) {
  Statement find{connection, "tables", "select 1 from sqlite_schema where name = 'penstock_meta'"};
  return Query{find}.next();
}

void refuse_newer(int version, const std::string& path) {
  if (version <= current_schema_version()) return;
  throw Error(ErrorKind::schema, "the penstock tables in " + path + " have version " +
                                     std::to_string(version) + ", newer than version " +
                                     std::to_string(current_schema_version()) +
                                     " that this program knows: upgrade the program");
}

void apply(Connection& connection, int number) {
  connection.begin_immediate();
  try {
    if (schema_version(connection) < number) {
      const std::string script(kMigrations[static_cast<std::size_t>(number) - 1]->text);
      connection.execute(script.c_str());
      connection.run(sql::set_schema_version, number);
    }
    connection.commit();
  } catch (...) {
    connection.roll_back();
    throw;
  }
}

}  // namespace

int current_schema_version() noexcept { return static_cast<int>(kMigrations.size()); }

int schema_version(Connection& connection) {
  if (!has_tables(connection)) return 0;
  Query query = connection.query(sql::schema_version);
  return query.next() ? static_cast<int>(query.integer(0)) : 0;
}

void refuse_other_schema(int version, const std::string& path) {
  refuse_newer(version, path);
  if (version == current_schema_version()) return;
  const std::string found =
      version == 0 ? path + " has no penstock tables"
                   : "the penstock tables in " + path + " have version " + std::to_string(version) +
                         ", this program needs version " + std::to_string(current_schema_version());
  throw Error(ErrorKind::schema, found + ": run `penstock setup` with the same --db");
}

std::string schema_script() {
  std::string script = "pragma journal_mode = wal;\nbegin immediate;\n\n";
  for (const SqlText* migration : kMigrations) script += std::string(migration->text) + "\n";
  return script + "insert into penstock_meta(name, value) values ('schema_version', " +
         std::to_string(current_schema_version()) + ");\ncommit;\n";
}

void migrate(Connection& connection) {
  const int found = schema_version(connection);
  refuse_newer(found, connection.path());
  for (int number = found + 1; number <= current_schema_version(); ++number) {
    apply(connection, number);
  }
  // Another starter may have been a newer program.
  refuse_newer(schema_version(connection), connection.path());
}

void drop_tables(const std::string& path) {
  if (!std::filesystem::exists(path)) return;
  Connection connection{path, Connection::Access::read_write, std::chrono::seconds{30}};
  connection.begin_operation("drop");
  connection.begin_immediate();
  try {
    std::string script;
    {
      Statement tables{
          connection, "tables",
          "select name from sqlite_schema where type = 'table' and name glob 'penstock_*'"};
      Query table{tables};
      while (table.next()) script += "drop table " + std::string(table.text(0)) + ";\n";
    }
    connection.execute(script.c_str());
    connection.commit();
  } catch (...) {
    connection.roll_back();
    throw;
  }
}

}  // namespace penstock::sqlite::detail

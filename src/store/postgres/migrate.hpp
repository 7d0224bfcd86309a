// Numbered migrations and the functions, in one transaction under one lock, whoever comes first.
#pragma once

#include <string>
#include <vector>

namespace penstock::postgres::detail {

class Connection;
class Names;

/// The version of the tables this program works with.
[[nodiscard]] int current_schema_version() noexcept;

/// The version of the tables in the store's schema; 0 where there are none.
[[nodiscard]] int schema_version(Connection& connection);

/// Throws `schema` where `version`, which `connection` found, is not the current one.
void refuse_other_schema(int version, Connection& connection);

/// Everything that `migrate` does in an empty database, as one script.
[[nodiscard]] std::string schema_script(const Names& names);

/// Everything that `migrate` does in a database of version 0.1.0, as one script.
[[nodiscard]] std::string upgrade_script(const Names& names);

/// Makes the roles and grants them their rights, as one script.
[[nodiscard]] std::string roles_script(const Names& names);

/// Whether an upgrade from 0.1.0 waits until its workers have ended.
enum class OldLeases { respect, ignore };

enum class Migrated {
  nothing,  ///< The tables were current.
  made,     ///< There were none.
  upgraded,
};

/// Brings the tables to the current version, those of 0.1.0 too. Throws `schema` where they are
/// newer, `conflict` where a worker of 0.1.0 holds a lease.
Migrated migrate(Connection& connection, OldLeases old_leases = OldLeases::respect);

struct OldTables {
  std::string schema{};
  std::string prefix{};
};

/// Tables of 0.1.0 anywhere in the database; a few of them, where there are many.
[[nodiscard]] std::vector<OldTables> find_old_tables(Connection& connection);

/// Removes what `migrate` makes, and everything in it; the schema too where nothing else is in it.
void drop_tables(Connection& connection);

}  // namespace penstock::postgres::detail

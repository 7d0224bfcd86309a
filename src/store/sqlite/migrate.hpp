// Numbered migrations: each runs once, in a transaction of its own, whoever comes first.
#pragma once

#include <string>

namespace penstock::sqlite::detail {

class Connection;

/// The version of the tables this program works with.
[[nodiscard]] int current_schema_version() noexcept;

/// The version of the tables in the file; 0 where there are none.
[[nodiscard]] int schema_version(Connection& connection);

/// Throws `schema` where `version` is not the current one.
void refuse_other_schema(int version, const std::string& path);

/// All migrations as one script for an empty file, the version row included.
[[nodiscard]] std::string schema_script();

/// Brings the tables to the current version. Throws `schema` where they are newer.
void migrate(Connection& connection);

/// Removes all tables of penstock from the file, where there is one.
void drop_tables(const std::string& path);

}  // namespace penstock::sqlite::detail

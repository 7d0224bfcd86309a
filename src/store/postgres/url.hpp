// `postgresql://user@host/database?schema=…`: what is ours taken out, the rest as it was written,
// for libpq.
#pragma once

#include <string_view>

#include "penstock/stores/postgres.hpp"

namespace penstock::postgres::detail {

[[nodiscard]] bool is_postgres_url(std::string_view url) noexcept;

/// Ours are schema, prefix, completion_history, pool_size, pool_timeout (seconds) and pooler.
///
/// Throws: usage, naming an option that neither we nor libpq know.
[[nodiscard]] PostgresStoreOptions options_of_url(std::string_view url);

}  // namespace penstock::postgres::detail

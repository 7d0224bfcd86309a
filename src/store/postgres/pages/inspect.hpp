// `inspect_pages` for one PostgreSQL database.
#pragma once

#include <vector>

#include "penstock/pages.hpp"
#include "penstock/stores/postgres.hpp"

namespace penstock::postgres::detail {

[[nodiscard]] std::vector<PageEvidence> inspect_pages(const PostgresStoreOptions& options);

}  // namespace penstock::postgres::detail

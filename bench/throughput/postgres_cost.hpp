// What a delivery costs PostgreSQL: statements, log and heap-only updates, from the server's own
// counters, over a run that is checked for exactness.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "contestant.hpp"

namespace penstock::bench {

struct PostgresCost {
  Case bench_case{};
  double published_per_second = 0;
  double dispatched_per_second = 0;
  double claims_per_delivery = 0;       ///< Statements.
  double completions_per_delivery = 0;  ///< Statements.
  double statements_per_delivery = 0;   ///< All, while dispatching.
  double publish_wal = 0;               ///< Bytes per event, less full-page images.
  double dispatch_wal = 0;              ///< Bytes per delivery, less full-page images.
  double full_page_images = 0;          ///< Bytes per delivery, while dispatching.
  double lanes_heap_only = 0;           ///< Share of the updates of lanes.
  double lane_updates = 0;              ///< Per delivery.
  Exactness exactness{};
};

/// In the schema penstock_bench of the database at `url`, made anew. The server needs
/// pg_stat_statements preloaded and pg_walinspect, and must do nothing else meanwhile.
///
/// Throws: std::runtime_error, Error.
[[nodiscard]] PostgresCost postgres_cost(const Case& bench_case, const std::string& url);

void print_cost_header(std::ostream& out);
void print_cost(std::ostream& out, const PostgresCost& cost);

/// What was not exact or above what a delivery may cost; empty where all is well.
[[nodiscard]] std::vector<std::string> missed_costs(const std::vector<PostgresCost>& costs);

}  // namespace penstock::bench

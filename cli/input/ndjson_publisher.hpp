// Publishes a file of events, all or nothing unless bad lines are to be skipped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input/ndjson_batches.hpp"
#include "output/progress.hpp"
#include "penstock/bus_store.hpp"

namespace penstock::cli {

struct NdjsonReport {
  std::int64_t published = 0;
  std::int64_t duplicates = 0;
  std::int64_t deliveries = 0;
  std::int64_t without_handler = 0;  ///< Of `published`: nobody was subscribed.
  std::vector<BadLine> skipped{};
};

/// Reads `path` ("-": stdin) twice: first every line is checked, then all are published in one
/// transaction.
///
/// Throws: usage, naming the first bad line; unavailable, conflict, in_doubt. Nothing was published
/// then, except in doubt.
[[nodiscard]] NdjsonReport publish_ndjson(BusStore& store, const std::string& path,
                                          OnBadLine on_bad_line, Progress& progress);

}  // namespace penstock::cli

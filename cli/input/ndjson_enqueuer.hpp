// Enqueues a file of jobs, all or nothing unless bad lines are to be skipped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input/ndjson_batches.hpp"
#include "output/progress.hpp"
#include "penstock/store.hpp"

namespace penstock::cli {

struct EnqueueReport {
  std::int64_t enqueued = 0;
  std::int64_t duplicates = 0;  ///< Their unique key was held by another job.
  std::vector<BadLine> skipped{};
};

/// As publish_ndjson.
[[nodiscard]] EnqueueReport enqueue_ndjson(Store& store, const std::string& path,
                                           OnBadLine on_bad_line, Progress& progress);

}  // namespace penstock::cli

// The commands `throughput` and `cost`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace penstock::bench {

struct ThroughputOptions {
  std::size_t samples = 3;
  std::string store = "all";  ///< "memory", "sqlite" or "all".
  std::filesystem::path folder{};
};

/// Published and dispatched events per second, beside a bare loop, in turn. The exit code: 6 where
/// a run was not exact, 1 where a floor was missed.
[[nodiscard]] int run_throughput(const ThroughputOptions& options);

struct CostOptions {
  std::string db{};
  std::size_t samples = 3;
};

/// What a delivery costs a PostgreSQL server. The exit code: 1 where it is too dear.
[[nodiscard]] int run_cost(const CostOptions& options);

}  // namespace penstock::bench

// The handler's side of a run: what it saw, in which order, and whether that is exactly what was
// published. A benchmark that lost or repeated work has measured nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "workload.hpp"

namespace penstock::bench {

struct Exactness {
  std::uint64_t lost = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t unexpected = 0;
  std::uint64_t order_violations = 0;

  [[nodiscard]] bool exact() const noexcept {
    return lost + duplicates + unexpected + order_violations == 0;
  }
};

/// Threads: `record` from any; the rest when no handler runs.
class HandledLog {
 public:
  explicit HandledLog(const Case& bench_case);

  /// Called by the handler with the payload it got.
  void record(std::string_view payload) noexcept {
    const std::size_t place = next_.fetch_add(1, std::memory_order_acq_rel);
    if (place < numbers_.size()) numbers_[place] = number_of(payload);
  }

  [[nodiscard]] Exactness check() const;

 private:
  Case case_;
  std::atomic<std::size_t> next_{0};
  std::vector<std::uint32_t> numbers_;  // In the order of the handler's calls; twice the expected.
};

}  // namespace penstock::bench

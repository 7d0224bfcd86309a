// Retention: deleting in batches that shrink when one takes too long.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "penstock/bus_store.hpp"

namespace penstock::maintain {

/// Rows of a kind per batch; small enough that a purge never holds up an extension of leases.
inline constexpr std::size_t kPurgeLimit = 1'000;

/// One bounded batch of a purge.
using PurgeBatch = std::function<Purged(std::size_t limit)>;

/// The limit after a batch that failed for being too slow or in the way.
[[nodiscard]] constexpr std::size_t smaller_purge_limit(std::size_t limit) noexcept {
  return std::max<std::size_t>(1, limit / 2);
}

}  // namespace penstock::maintain

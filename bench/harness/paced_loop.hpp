// Publishing threads: as fast as it goes, or at an offered rate, for one window.
#pragma once

#include <functional>
#include <penstock/event.hpp>
#include <span>

#include "harness/work_order.hpp"

namespace penstock::bench {

/// Returns when the events are committed.
using PublishCall = std::function<void(std::span<const Event>)>;

/// Waits for the beginning, then publishes from `order.threads` threads until the window ends.
/// `open(i)` makes what thread i publishes through, before that.
///
/// At an offered rate, a thread that is late does not wait, so that the work of a stall is caught
/// up with; what it could not publish within the window is not published.
/// Throws what a publish threw, when all threads have ended.
void run_publishers(const WorkOrder& order,
                    const std::function<PublishCall(std::size_t thread)>& open);

}  // namespace penstock::bench

// The worker's side of beginning together; see crew.cpp for the harness's.
#pragma once

#include <cstdint>

namespace penstock::bench {

/// Says that this process is ready, and returns at the time it is told to begin: that time. 0 where
/// the harness has gone.
[[nodiscard]] std::int64_t await_beginning();
/// Returns when the process is told to end.
void await_end();
/// Whether it has been told, without waiting.
[[nodiscard]] bool has_been_told_to_end();

void sleep_until(std::int64_t at_ns);

}  // namespace penstock::bench

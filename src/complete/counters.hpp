// What became of attempts; written by several threads, read by `Dispatcher::counters`.
#pragma once

#include <atomic>
#include <cstdint>

namespace penstock::complete {

struct Counters {
  std::atomic<std::int64_t> claims = 0;
  std::atomic<std::int64_t> claimed = 0;
  std::atomic<std::int64_t> completed = 0;
  std::atomic<std::int64_t> retried = 0;
  std::atomic<std::int64_t> snoozed = 0;
  std::atomic<std::int64_t> buried = 0;
  std::atomic<std::int64_t> released = 0;
  std::atomic<std::int64_t> lost = 0;
};

}  // namespace penstock::complete

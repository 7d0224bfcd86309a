// The check of a run; see handled_log.hpp.
#include "handled_log.hpp"

#include <algorithm>

namespace penstock::bench {

HandledLog::HandledLog(const Case& bench_case)
    : case_(bench_case), numbers_(std::size_t{2} * bench_case.events + 1) {}

Exactness HandledLog::check() const {
  Exactness result;
  std::vector<std::uint8_t> seen(case_.events, 0);
  std::vector<std::int64_t> last_of_key(kKeys, -1);
  const std::size_t calls = next_.load(std::memory_order_acquire);
  if (calls > numbers_.size()) result.duplicates += calls - numbers_.size();

  for (std::size_t place = 0; place < std::min(calls, numbers_.size()); ++place) {
    const std::uint32_t number = numbers_[place];
    if (number >= case_.events) {
      ++result.unexpected;
      continue;
    }
    if (seen[number]++ != 0) {
      ++result.duplicates;
      continue;
    }
    if (case_.keys == Keys::none) continue;
    std::int64_t& last = last_of_key[number % kKeys];
    if (number < last) ++result.order_violations;
    last = number;
  }
  result.lost = static_cast<std::uint64_t>(std::count(seen.begin(), seen.end(), 0));
  return result;
}

}  // namespace penstock::bench

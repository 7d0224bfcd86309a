// See spread.hpp.
#include "harness/spread.hpp"

#include <algorithm>
#include <cmath>

namespace penstock::bench {

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  return {.median = values[values.size() / 2], .low = values.front(), .high = values.back()};
}

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto place =
      static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place),
                   values.end());
  return values[place];
}

}  // namespace penstock::bench

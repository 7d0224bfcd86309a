// Several samples of one number as people read them: the median, and how far apart they lie.
#pragma once

#include <vector>

namespace penstock::bench {

struct Spread {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// All zero where there are no values.
[[nodiscard]] Spread spread_of(std::vector<double> values);

/// The value below which `share` (0 to 1) of the values lie; 0 where there are none.
[[nodiscard]] double percentile(std::vector<double>& values, double share);

}  // namespace penstock::bench

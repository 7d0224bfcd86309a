// Numbers as the tables show them.
#pragma once

#include <string>

#include "harness/spread.hpp"

namespace penstock::bench {

[[nodiscard]] std::string fixed(double value, int digits);
/// "12,345".
[[nodiscard]] std::string grouped(double value);
/// "3.1 × (2.8 – 3.3)".
[[nodiscard]] std::string times(const Spread& ratio);
/// "12,345 (11,800 – 12,900)".
[[nodiscard]] std::string spread_text(const Spread& spread);

}  // namespace penstock::bench

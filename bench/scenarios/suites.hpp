// Sets of lines that are measured in one go.
#pragma once

#include <vector>

#include "scenarios/measurement.hpp"

namespace penstock::bench {

/// What the targets need, and no more: under ten minutes.
[[nodiscard]] std::vector<Line> quick_suite(const Settings& settings);
/// Every configuration of every scenario: hours.
[[nodiscard]] std::vector<Line> full_suite(const Settings& settings);

}  // namespace penstock::bench

// Lines of the scenarios under pressure as Markdown.
#pragma once

#include <iosfwd>
#include <vector>

#include "scenarios/measurement.hpp"

namespace penstock::bench {

[[nodiscard]] bool is_under_pressure(const Line& line);

/// Nothing where no line is under pressure.
void print_pressure(std::ostream& out, const std::vector<Line>& lines);

}  // namespace penstock::bench

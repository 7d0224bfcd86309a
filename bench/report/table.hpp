// Lines and targets as Markdown. A cell of a run that was not exact says INVALID, and no number.
#pragma once

#include <iosfwd>
#include <vector>

#include "scenarios/measurement.hpp"
#include "scenarios/targets.hpp"

namespace penstock::bench {

/// All but those under pressure, which have a table of their own.
void print_lines(std::ostream& out, const std::vector<Line>& lines);
void print_targets(std::ostream& out, const std::vector<TargetRow>& rows);

}  // namespace penstock::bench

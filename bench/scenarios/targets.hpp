// The rows that penstock has to reach, beside what was measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/measurement.hpp"

namespace penstock::bench {

struct TargetRow {
  std::string row{};
  std::string target{};
  std::string measured{};     ///< "INVALID" where a run that it rests on was not exact.
  std::optional<bool> met{};  ///< Absent: it could not be measured here.
};

/// A row for every target whose lines are there, in the order of the table.
[[nodiscard]] std::vector<TargetRow> judge_targets(const std::vector<Line>& lines);

}  // namespace penstock::bench

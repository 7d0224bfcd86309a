// Whether the baseline costs what version 0.1.0 did. If it did not, every ratio to it would be a
// ratio to something else.
#pragma once

#include <string>

#include "scenarios/measurement.hpp"

namespace penstock::bench {

/// What is outside of the band, for people; empty where nothing is, or where the run was too short
/// or the server's counters are not there to say.
[[nodiscard]] std::string baseline_problem(const Measurement& dispatched);

}  // namespace penstock::bench

// What other scenarios need of the mixed one.
#pragma once

#include <cstdint>

#include "scenarios/scenarios.hpp"

namespace penstock::bench {

[[nodiscard]] RunRecord run_mixed(const Settings& settings, const MixedLine& what,
                                  Contender contender);
/// `run_mixed` in numbers.
[[nodiscard]] Measurement measure_mixed(const MixedLine& what, const RunRecord& record);
/// That of the run at the greatest rate held, which is its `per_second`.
[[nodiscard]] Measurement greatest_rate(const Settings& settings, MixedLine what,
                                        Contender contender);

}  // namespace penstock::bench

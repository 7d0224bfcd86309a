// The dispatchers of a scenario: some processes, all alike.
#pragma once

#include <string>
#include <vector>

#include "harness/work_order.hpp"
#include "scenarios/scenarios.hpp"

namespace penstock::bench {

[[nodiscard]] std::vector<WorkOrder> dispatch_crew(const DispatchConfig& config,
                                                   std::size_t processes, Contender contender);
/// "4 processes, tuned".
[[nodiscard]] std::string dispatch_name(const DispatchConfig& config, std::size_t processes);

}  // namespace penstock::bench

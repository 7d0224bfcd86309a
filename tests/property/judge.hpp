// Says whether a claim was lawful, from what could be listed before it. An implementation of the
// rules of its own, so that the memory store is judged too.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contract/contract.hpp"

namespace penstock::property {

/// What a delivery is called where two stores number it differently.
using Name = std::pair<EventId, std::string>;

struct BeforeClaim {
  std::vector<DeliveryInfo> deliveries;
  std::vector<Subscription> subscriptions;
  std::vector<LaneInfo> lanes;
  Timestamp now;
};

/// What is wrong with `work` as the answer to `wish`; empty where nothing is.
[[nodiscard]] std::optional<std::string> objection(const BeforeClaim& before,
                                                   const contract::ClaimWish& wish,
                                                   const std::vector<Work>& work);

}  // namespace penstock::property

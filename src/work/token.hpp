// The token of the bus: `lane:epoch:claims` of one delivery.
#pragma once

#include "penstock/work_source.hpp"

namespace penstock::work {

[[nodiscard]] constexpr Token lane_token(DeliveryId id, LaneId lane, Epoch epoch,
                                         std::int64_t claims) noexcept {
  return Token{.work_id = id.value, .fence = {lane.value, epoch.value, claims}};
}
[[nodiscard]] constexpr LaneId lane_of(const Token& token) noexcept {
  return LaneId{static_cast<std::int32_t>(token.fence[0])};
}
[[nodiscard]] constexpr Epoch epoch_of(const Token& token) noexcept {
  return Epoch{token.fence[1]};
}
[[nodiscard]] constexpr std::int64_t claims_of(const Token& token) noexcept {
  return token.fence[2];
}

}  // namespace penstock::work

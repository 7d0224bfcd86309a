// FNV-1a, 32 bit. One hash serves lanes and shards, and SQL computes the same number.
#pragma once

#include <cstdint>
#include <string_view>

#include "penstock/bus_store.hpp"

namespace penstock::work {

[[nodiscard]] constexpr std::uint32_t lane_hash(std::string_view text) noexcept {
  std::uint32_t hash = 2'166'136'261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return hash;
}

[[nodiscard]] constexpr LaneId lane_of(std::string_view key_or_event_id) noexcept {
  return LaneId{static_cast<std::int32_t>(lane_hash(key_or_event_id) % kLanes)};
}

/// The shard of a job with an ordering key, in a queue of `shards`.
[[nodiscard]] constexpr int shard_of(std::string_view key, int shards) noexcept {
  return static_cast<int>(lane_hash(key) % static_cast<std::uint32_t>(shards));
}

/// The lane of an event: by its ordering key, else by its id in canonical text.
[[nodiscard]] inline LaneId lane_of(const Event& event) {
  return event.key ? lane_of(*event.key) : lane_of(event.id.value().to_string());
}

}  // namespace penstock::work

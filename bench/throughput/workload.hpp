// What every contestant publishes: numbered events of 256 bytes, keyed or not. The number in the
// payload is what the handler's side is checked by.
#pragma once

#include <cstdint>
#include <penstock/event.hpp>
#include <string_view>
#include <vector>

namespace penstock::bench {

inline constexpr std::size_t kPayloadBytes = 256;
inline constexpr std::uint32_t kKeys = 200;
inline constexpr char kType[] = "bench.event";

enum class Keys { none, two_hundred };

struct Case {
  std::size_t batch = 1;
  Keys keys = Keys::none;
  std::uint32_t events = 0;
};

/// Numbered from 0; event n has key n mod 200 where there are keys.
[[nodiscard]] std::vector<Event> make_events(const Case& bench_case);

/// The number in a payload; `kNoNumber` where it is not one of ours, unchanged.
inline constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};
[[nodiscard]] std::uint32_t number_of(std::string_view payload) noexcept;

}  // namespace penstock::bench

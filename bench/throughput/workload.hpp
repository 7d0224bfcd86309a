// What every benchmark publishes: numbered events of 256 bytes of JSON, keyed or not. The number in
// the payload is what the handler's side is checked by.
#pragma once

#include <cstdint>
#include <optional>
#include <penstock/event.hpp>
#include <string_view>
#include <vector>

namespace penstock::bench {

inline constexpr std::size_t kPayloadBytes = 256;
inline constexpr std::uint32_t kKeys = 200;
inline constexpr char kType[] = "bench.event";

enum class Keys { none, two_hundred, one };

struct Case {
  std::size_t batch = 1;
  Keys keys = Keys::none;
  std::uint32_t events = 0;
};

/// Each publishing thread numbers its events from here, so that no two threads share a key and the
/// numbers of a key ascend in the order of their commits.
inline constexpr std::uint32_t kNumbersOfAThread = std::uint32_t{1} << 22U;

/// The ordering key of an event: one of 200 for each publishing thread, or the only one there is.
[[nodiscard]] std::optional<std::uint32_t> key_of(std::uint32_t number, Keys keys) noexcept;
[[nodiscard]] Event make_event(std::uint32_t number, Keys keys);

/// Numbered from 0.
[[nodiscard]] std::vector<Event> make_events(const Case& bench_case);

/// The number in a payload; `kNoNumber` where it is not one of ours, unchanged.
inline constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};
[[nodiscard]] std::uint32_t number_of(std::string_view payload) noexcept;

}  // namespace penstock::bench

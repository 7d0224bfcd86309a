// The published events; see workload.hpp.
#include "workload.hpp"

#include <cstring>
#include <string>

namespace penstock::bench {

std::optional<std::uint32_t> key_of(std::uint32_t number, Keys keys) noexcept {
  if (keys == Keys::none) return {};
  if (keys == Keys::one) return 0;
  return number / kNumbersOfAThread * kKeys + number % kNumbersOfAThread % kKeys;
}

Event make_event(std::uint32_t number, Keys keys) {
  Event event{.type = kType, .payload = std::string(kPayloadBytes, 'p')};
  std::memcpy(event.payload.data(), &number, sizeof(number));
  if (const auto key = key_of(number, keys)) event.key = "key-" + std::to_string(*key);
  return event;
}

std::vector<Event> make_events(const Case& bench_case) {
  std::vector<Event> events;
  events.reserve(bench_case.events);
  for (std::uint32_t number = 0; number < bench_case.events; ++number) {
    events.push_back(make_event(number, bench_case.keys));
  }
  return events;
}

std::uint32_t number_of(std::string_view payload) noexcept {
  if (payload.size() != kPayloadBytes || payload.back() != 'p') return kNoNumber;
  std::uint32_t number = 0;
  std::memcpy(&number, payload.data(), sizeof(number));
  return number;
}

}  // namespace penstock::bench

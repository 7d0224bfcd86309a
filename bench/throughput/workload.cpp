// The published events; see workload.hpp.
#include "workload.hpp"

#include <cstring>
#include <string>

namespace penstock::bench {

std::vector<Event> make_events(const Case& bench_case) {
  std::vector<Event> events;
  events.reserve(bench_case.events);
  for (std::uint32_t number = 0; number < bench_case.events; ++number) {
    Event event{.type = kType, .payload = std::string(kPayloadBytes, 'p')};
    std::memcpy(event.payload.data(), &number, sizeof(number));
    if (bench_case.keys == Keys::two_hundred) {
      event.key = "key-" + std::to_string(number % kKeys);
    }
    events.push_back(std::move(event));
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

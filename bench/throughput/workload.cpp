// The published events; see workload.hpp.
#include "workload.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>

namespace penstock::bench {
namespace {

// As PostgreSQL writes a jsonb, so that a payload comes back from such a column unchanged.
constexpr std::string_view kHead = "{\"n\": \"";
constexpr std::size_t kDigits = 10;
constexpr std::string_view kMiddle = "\", \"p\": \"";
constexpr std::string_view kTail = "p\"}";

}  // namespace

std::optional<std::uint32_t> key_of(std::uint32_t number, Keys keys) noexcept {
  if (keys == Keys::none) return {};
  if (keys == Keys::one) return 0;
  return number / kNumbersOfAThread * kKeys + number % kNumbersOfAThread % kKeys;
}

Event make_event(std::uint32_t number, Keys keys) {
  const std::string digits = std::to_string(number);
  Event event{.type = kType, .payload = std::string(kHead)};
  event.payload.append(kDigits - digits.size(), '0');
  event.payload += digits;
  event.payload += kMiddle;
  event.payload.append(kPayloadBytes - event.payload.size() - kTail.size(), 'p');
  event.payload += kTail;
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
  const std::string_view rest = payload.substr(std::min(kHead.size(), payload.size()));
  if (payload.size() != kPayloadBytes || !payload.starts_with(kHead) || !payload.ends_with(kTail) ||
      !rest.substr(kDigits).starts_with(kMiddle)) {
    return kNoNumber;
  }
  std::uint32_t number = 0;
  const char* const begin = std::to_address(rest.begin());
  const char* const end = begin + kDigits;
  const auto [stopped, error] = std::from_chars(begin, end, number);
  return error == std::errc{} && stopped == end ? number : kNoNumber;
}

}  // namespace penstock::bench

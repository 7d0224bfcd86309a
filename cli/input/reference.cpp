// Tells a delivery's number from an event's UUID.
#include "input/reference.hpp"

#include <charconv>

#include "penstock/error.hpp"

namespace penstock::cli {

Reference parse_reference(const std::string& text) {
  if (const auto event = EventId::parse(text)) return *event;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end || number < 0) {
    throw Error(
        ErrorKind::usage,
        "id: expected the number of a delivery or the UUID of an event, found \"" + text + "\"",
        {.field = "id"});
  }
  return DeliveryId{number};
}

}  // namespace penstock::cli

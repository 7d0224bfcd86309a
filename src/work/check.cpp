// The checks of arguments.
#include "work/check.hpp"

#include "work/pattern.hpp"

namespace penstock::work {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the valid UTF-8 character at the start of `text`, or 0. Overlong forms, surrogates and
// what lies beyond U+10FFFF are invalid (RFC 3629).
std::size_t character_bytes(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char second_min = 0x80;
  unsigned char second_max = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) second_min = 0xA0;
    if (lead == 0xED) second_max = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) second_min = 0x90;
    if (lead == 0xF4) second_max = 0x8F;
  } else {
    return 0;
  }
  if (text.size() < length || byte(1) < second_min || byte(1) > second_max) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

void refuse(std::string_view field, const std::string& message, std::optional<std::size_t> limit) {
  throw Error(ErrorKind::usage, message, {.field = std::string(field), .limit = limit});
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = character_bytes(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void check_text(std::string_view field, std::string_view text, std::size_t limit) {
  const std::string name(field);
  if (text.empty()) refuse(field, name + " must not be empty", limit);
  if (text.size() > limit) {
    refuse(field,
           name + " has " + std::to_string(text.size()) + " bytes; the limit is " +
               std::to_string(limit),
           limit);
  }
  if (text.find('\0') != std::string_view::npos) refuse(field, name + " must not contain a NUL");
  if (!is_utf8(text)) refuse(field, name + " must be valid UTF-8");
}

void check_event(const Event& event, std::size_t max_payload) {
  check_text("type", event.type, limits::kTypeBytes);
  if (event.key) check_text("key", *event.key, limits::kKeyBytes);
  check_text("content_type", event.content_type, limits::kContentTypeBytes);
  std::size_t header_bytes = 0;
  for (const auto& [name, value] : event.headers) {
    header_bytes += name.size() + value.size();
    if (header_bytes > limits::kHeadersBytes) break;
    check_text("headers", name, limits::kHeadersBytes);
    if (!value.empty()) check_text("headers", value, limits::kHeadersBytes);
  }
  if (header_bytes > limits::kHeadersBytes) {
    refuse("headers", "headers have more than " + std::to_string(limits::kHeadersBytes) + " bytes",
           limits::kHeadersBytes);
  }
  if (event.payload.size() > max_payload) {
    refuse("payload",
           "payload has " + std::to_string(event.payload.size()) +
               " bytes; the limit of this store is " + std::to_string(max_payload),
           max_payload);
  }
}

void check_subscription(const Subscription& subscription) {
  check_text("handler", subscription.handler, limits::kHandlerBytes);
  if (subscription.types.empty()) refuse("types", "a subscription needs at least one pattern");
  for (const std::string& pattern : subscription.types) check_pattern(pattern);
  if (subscription.max_attempts < 1) refuse("max_attempts", "max_attempts must be at least 1");
}

void check_selection(const Selection& selection) {
  if (!selection.delivery_id && !selection.event_id && !selection.handler && !selection.all) {
    refuse("selection", "say which deliveries: by delivery, event or handler, or all of them");
  }
}

std::string error_text(std::string_view raw) {
  std::string text;
  while (!raw.empty()) {
    const std::size_t length = raw.front() == '\0' ? 0 : character_bytes(raw);
    const std::string_view character = length == 0 ? kReplacement : raw.substr(0, length);
    if (text.size() + character.size() > limits::kErrorTextBytes) break;
    text += character;
    raw.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace penstock::work

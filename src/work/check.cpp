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

// Of C0, C1 or DEL; `text` is valid UTF-8.
bool has_control_character(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
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

void check_type(std::string_view field, std::string_view type) {
  check_text(field, type, limits::kTypeBytes);
  const auto refuse_for = [&](const std::string& rule) {
    refuse(field, std::string(field) + " must be segments between dots, " + rule + "; found \"" +
                      std::string(type) + "\"");
  };
  if (has_control_character(type)) refuse_for("without control characters");
  if (type.find('*') != std::string_view::npos) {
    refuse_for("without \"*\", which stands for any in a pattern only");
  }
  for (std::string_view rest = type;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view segment = rest.substr(0, dot);
    if (segment.empty()) refuse_for("none of them empty");
    if (segment.front() == ' ' || segment.back() == ' ') {
      refuse_for("none of them with a blank at its beginning or end");
    }
    if (dot == std::string_view::npos) return;
    rest.remove_prefix(dot + 1);
  }
}

void check_event(const Event& event, std::size_t max_payload) {
  check_type("type", event.type);
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

void check_list_query(const ListQuery& query) {
  if (query.limit == 0) refuse("limit", "limit must be 1 or more; found 0");
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

std::string bury_text(std::string_view reason, std::string_view before) {
  if (before.empty()) return error_text(reason);
  return error_text(error_text(reason) + " (before: " + std::string(before) + ")");
}

}  // namespace penstock::work

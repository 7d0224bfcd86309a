// One line as an event.
#include "input/ndjson_line.hpp"

#include "input/json_members.hpp"

namespace penstock::cli {

void set_id(Event& event, const std::string& id) {
  event.id = EventId::parse(id);
  if (event.id) return;
  event.id = EventId::from_foreign(kForeignIdSource, id);
  event.headers["penstock-original-id"] = id;
}

Event parse_ndjson_line(std::string_view line) {
  Event event;
  std::string id;
  bool has_payload = false;
  for (const auto& [name, text] : json_members(line)) {
    if (name == "payload" || name == "payload_base64") {
      if (has_payload) refuse_member("payload", "expected payload or payload_base64, found both");
      has_payload = true;
      event.payload = payload_member(name, text);
    } else if (name == "type") {
      event.type = text_member(name, text);
    } else if (name == "key") {
      if (std::string key = text_member(name, text); !key.empty()) event.key = std::move(key);
    } else if (name == "id") {
      id = text_member(name, text);
    } else if (name == "content_type") {
      event.content_type = text_member(name, text);
    } else if (name == "headers") {
      event.headers = headers_member(text);
    } else {
      refuse_member(name,
                    "expected type, key, id, headers, content_type, payload or payload_base64, "
                    "found \"" +
                        name + "\"");
    }
  }
  if (event.type.empty()) refuse_member("type", "expected 1 to 200 bytes, found none");
  if (!has_payload) refuse_member("payload", "expected payload or payload_base64, found neither");
  if (!id.empty()) set_id(event, id);
  return event;
}

}  // namespace penstock::cli

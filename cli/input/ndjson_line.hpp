// One line of NDJSON as an event:
// {"type", "payload" | "payload_base64", "key"?, "id"?, "headers"?, "content_type"?}
#pragma once

#include <string>
#include <string_view>

#include "input/json_members.hpp"
#include "penstock/event.hpp"

namespace penstock::cli {

/// The same for every way to publish, so that a foreign id means the same event in each.
inline constexpr std::string_view kForeignIdSource = "ndjson";

/// A JSON payload is kept as its own bytes without the white space between its tokens, so that
/// numbers, escapes and the order of members stay as they were. Limits are left to publish.
///
/// Throws: usage, naming the field.
[[nodiscard]] Event parse_ndjson_line(std::string_view line);

/// A UUID is taken as it is; any other id becomes the UUIDv5 of (kForeignIdSource, id), and the
/// original is kept in the header penstock-original-id.
void set_id(Event& event, const std::string& id);

}  // namespace penstock::cli

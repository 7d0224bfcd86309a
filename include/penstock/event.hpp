// The event: an immutable fact that is published once and handled by every subscribed handler.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "penstock/ids.hpp"

namespace penstock {

/// Flat, string to string; at most 64 KiB together.
using Headers = std::map<std::string, std::string, std::less<>>;

/// A fact. Texts are valid UTF-8 without NUL; the payload is bytes. Limits: limits.hpp.
struct Event {
  /// What happened, in segments between dots: `order.paid`. Required. No segment is empty or has
  /// a blank at its beginning or end; `*` and control characters are refused. Anything else goes,
  /// also blanks within a segment, because types come from other systems too.
  std::string type{};
  /// Ordering key: deliveries of one key run in commit order, one at a time per handler.
  /// Absent means no order; an empty one is refused.
  std::optional<std::string> key{};
  /// Bytes, stored and handed over unchanged. May be empty.
  std::string payload{};
  /// Drawn by publish (UUIDv7) where absent. Set it to make a repeated publish harmless.
  std::optional<EventId> id{};
  std::string content_type = "application/json";
  Headers headers{};
};

}  // namespace penstock

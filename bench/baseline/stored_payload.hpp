// Payloads and headers as the columns of 0.1.0 hold them: JSON, of which bytes are not part.
#pragma once

#include <string>
#include <string_view>

#include "penstock/event.hpp"

namespace penstock::bench {

struct StoredEvent {
  std::string payload;  ///< JSON.
  std::string headers;  ///< A JSON object of strings.
};

/// A payload that is no JSON becomes a JSON text, and a header says so; another content type than
/// application/json becomes a header as well.
[[nodiscard]] StoredEvent stored(const Event& event);

/// Puts payload, headers and content type back. Throws: internal.
void restore(Event& event, std::string_view payload, std::string_view headers);

}  // namespace penstock::bench

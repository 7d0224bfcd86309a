// The little JSON that goes between C++ and SQL: arrays of parameters for whole batches, and
// headers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "penstock/event.hpp"

namespace penstock::sqlite::detail {

/// Appends `text`, valid UTF-8, as a JSON string.
void append_json(std::string& json, std::string_view text);

/// `[…]` of anything: `append(json, item)` writes one element.
template <typename Range, typename Append>
[[nodiscard]] std::string json_array(const Range& items, Append append) {
  std::string json = "[";
  for (const auto& item : items) {
    if (json.size() > 1) json += ',';
    append(json, item);
  }
  json += ']';
  return json;
}

[[nodiscard]] std::string json_of(std::span<const std::int64_t> numbers);
[[nodiscard]] std::string json_of(std::span<const std::string> texts);

[[nodiscard]] std::string headers_to_json(const Headers& headers);
/// Throws: internal, where `json` is no flat object of strings.
[[nodiscard]] Headers headers_from_json(std::string_view json);

}  // namespace penstock::sqlite::detail

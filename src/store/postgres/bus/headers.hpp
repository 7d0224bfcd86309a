// Headers of events as JSON, as the column holds them.
#pragma once

#include <string>
#include <string_view>

#include "penstock/event.hpp"

namespace penstock::postgres::detail {

/// A JSON object of strings. `headers` are valid UTF-8.
[[nodiscard]] std::string headers_to_json(const Headers& headers);
/// Throws: internal, where `json` is no flat object of strings.
[[nodiscard]] Headers headers_from_json(std::string_view json);

}  // namespace penstock::postgres::detail

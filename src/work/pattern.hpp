// Which event types a handler takes: exact, `a.*` (one or more further segments), `*`.
#pragma once

#include <string_view>

namespace penstock::work {

/// Throws: usage, where `pattern` is none of the three forms.
void check_pattern(std::string_view pattern);

/// `pattern` is well-formed.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view type) noexcept;

}  // namespace penstock::work

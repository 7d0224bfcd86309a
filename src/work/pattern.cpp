// Matching of event types.
#include "work/pattern.hpp"

#include "work/check.hpp"

namespace penstock::work {

void check_pattern(std::string_view pattern) {
  check_text("types", pattern, limits::kTypeBytes);
  if (pattern == "*") return;
  const bool any_further = pattern.ends_with(".*");
  const std::string_view fixed = any_further ? pattern.substr(0, pattern.size() - 2) : pattern;
  if (fixed.empty() || fixed.find('*') != std::string_view::npos) {
    refuse("types", "the pattern must be a type, a type followed by \".*\", or \"*\"; found \"" +
                        std::string(pattern) + "\"");
  }
  check_type("types", fixed);
}

bool matches(std::string_view pattern, std::string_view type) noexcept {
  if (pattern == "*") return true;
  if (!pattern.ends_with(".*")) return pattern == type;
  const std::string_view prefix = pattern.substr(0, pattern.size() - 1);  // with its dot
  return type.size() > prefix.size() && type.starts_with(prefix);
}

}  // namespace penstock::work

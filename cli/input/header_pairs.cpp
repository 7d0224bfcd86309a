// name=value.
#include "input/header_pairs.hpp"

#include "input/json_members.hpp"

namespace penstock::cli {

Headers headers_of_pairs(const std::vector<std::string>& pairs) {
  Headers headers;
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      refuse_member("headers", "expected name=value, found \"" + pair + "\"");
    }
    if (!headers.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second) {
      refuse_member("headers", "\"" + pair.substr(0, equals) + "\" is given twice");
    }
  }
  return headers;
}

}  // namespace penstock::cli

// Headers of the command line.
#pragma once

#include <string>
#include <vector>

#include "penstock/event.hpp"

namespace penstock::cli {

/// Of `name=value` each. Throws: usage.
[[nodiscard]] Headers headers_of_pairs(const std::vector<std::string>& pairs);

}  // namespace penstock::cli

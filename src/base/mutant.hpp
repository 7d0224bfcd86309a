// Named defects, built one at a time with -DPENSTOCK_MUTANT=name, to show that the tests catch
// them. Without one, every question here is false at compile time and costs nothing.
#pragma once

#include <string_view>

#include "mutant_name.hpp"

namespace penstock::base {

[[nodiscard]] consteval bool is_mutant(std::string_view name) {
  return name == PENSTOCK_MUTANT_NAME;
}

}  // namespace penstock::base

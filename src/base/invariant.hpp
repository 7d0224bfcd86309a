// What must be true inside penstock whatever the caller does.
#pragma once

#include <cstdlib>

#include "penstock/error.hpp"

namespace penstock::base {

[[noreturn]] void invariant_broken(const char* condition, const char* file, int line);

}  // namespace penstock::base

/// Stops the program in debug and sanitizer builds; throws `internal` in release.
#define PENSTOCK_INVARIANT(condition) \
  ((condition) ? void() : ::penstock::base::invariant_broken(#condition, __FILE__, __LINE__))

// How large a test runs: a hundredth in `make test`, full size in `make soak`.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace penstock::test {

/// 1, or 100 where PENSTOCK_SOAK=1.
[[nodiscard]] inline std::size_t scale() {
  static const bool soak = [] {
    const char* value = std::getenv("PENSTOCK_SOAK");
    return value != nullptr && value[0] == '1';
  }();
  return soak ? 100 : 1;
}

/// `full_size` in `make soak`, a hundredth of it (at least one) otherwise.
[[nodiscard]] inline std::size_t scaled(std::size_t full_size) {
  const std::size_t size = full_size * scale() / 100;
  return size == 0 ? 1 : size;
}

}  // namespace penstock::test

// The stores that were built, for tests that run on all of them.
#pragma once

#include <vector>

#include "support/memory_fixture.hpp"

namespace penstock::property {

[[nodiscard]] inline std::vector<contract::StoreUnderTest> stores_under_test() {
  return {contract::memory_store()};
}

}  // namespace penstock::property

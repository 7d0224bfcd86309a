// The stores that were built, for tests that run on all of them.
#pragma once

#include <vector>

#include "contract/contract.hpp"

namespace penstock::property {

[[nodiscard]] std::vector<contract::StoreUnderTest> stores_under_test();
/// How many sequences each of them is given at full size.
[[nodiscard]] std::size_t sequences();

}  // namespace penstock::property

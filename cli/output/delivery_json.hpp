// A delivery as JSON, the same in every command that prints one.
#pragma once

#include "output/json.hpp"
#include "penstock/admin.hpp"

namespace penstock::cli {

[[nodiscard]] Json json_of(const DeliveryInfo& delivery);

}  // namespace penstock::cli

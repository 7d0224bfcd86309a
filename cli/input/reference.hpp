// What an id on the command line can mean.
#pragma once

#include <string>
#include <variant>

#include "penstock/ids.hpp"

namespace penstock::cli {

using Reference = std::variant<DeliveryId, EventId>;

/// The number of a delivery, or the UUID of an event. Throws: usage.
[[nodiscard]] Reference parse_reference(const std::string& text);

}  // namespace penstock::cli

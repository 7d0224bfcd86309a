// For who looks for a completed delivery in a store without history.
#pragma once

#include <string>

#include "settings.hpp"

namespace penstock::cli {

/// What to do to find such deliveries in the future, with the URL to do it with.
[[nodiscard]] std::string how_to_keep(const Settings& settings);

}  // namespace penstock::cli

// Changing what is stored of a handler, as `handle` and `handlers add` do.
#pragma once

#include <optional>
#include <string>

#include "penstock/bus_store.hpp"
#include "settings.hpp"

namespace penstock::cli {

/// Empty where no such handler is subscribed.
[[nodiscard]] std::optional<Subscription> stored_subscription(BusStore& store,
                                                              const std::string& handler);

/// Tells on stderr what writing `wanted` over a stored subscription changes, because other workers
/// and publishers go by it. Says nothing where nothing does.
void warn_of_changes(const Settings& settings, const Subscription& stored,
                     const Subscription& wanted);

}  // namespace penstock::cli

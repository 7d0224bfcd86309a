// For who gave the name of a handler that there is not: which there are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "penstock/bus_store.hpp"

namespace penstock::cli {

/// `there is none`, `there is mail`, `there are audit, mail`; after twenty, how many more.
[[nodiscard]] std::string there_are(const std::vector<std::string>& names);

/// What to say where nobody is subscribed as `name` and no delivery of it is kept; empty where
/// there is such a handler.
[[nodiscard]] std::optional<std::string> unknown_handler(BusStore& store, const std::string& name);

}  // namespace penstock::cli

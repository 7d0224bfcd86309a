// The one place that assembles SQL: a listing's filters are optional, and an index serves each only
// where the absent ones are not mentioned at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "penstock/bus_store.hpp"
#include "store/sqlite/connection.hpp"

namespace penstock::sqlite::detail {

struct SelectedDelivery {
  std::int64_t id = 0;
  std::int64_t lane = 0;
  std::string handler;
  std::optional<std::string> key;
  std::string last_error;
};

/// The next deliveries, by id after `after`, that an operator's action is about. `status` is as it
/// is stored: 'pending' or 'dead'.
[[nodiscard]] std::vector<SelectedDelivery> selected_deliveries(Connection& connection,
                                                                const Selection& selection,
                                                                std::string_view status,
                                                                std::int64_t after);

/// How many `selected_deliveries` answers at most.
inline constexpr std::size_t kSelectedAtOnce = 1'000;

}  // namespace penstock::sqlite::detail

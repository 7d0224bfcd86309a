// The one place that assembles SQL: a listing's filters are optional, and an index serves each only
// where the absent ones are not mentioned at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/bus_store.hpp"
#include "store/postgres/connection.hpp"

namespace penstock::postgres::detail {

struct SelectedDelivery {
  std::int64_t id = 0;
  std::string last_error;
};

/// The next deliveries, by id after `after`, that an operator's action is about. `status` is as it
/// is stored: 'pending' or 'dead'.
[[nodiscard]] std::vector<SelectedDelivery> selected_deliveries(Connection& connection,
                                                                const Selection& selection,
                                                                std::string_view status,
                                                                std::int64_t after);

}  // namespace penstock::postgres::detail

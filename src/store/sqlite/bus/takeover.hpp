// Takeover: what a claim does to leases that have expired over work in flight.
#pragma once

#include <string_view>

#include "penstock/clock.hpp"
#include "store/sqlite/connection.hpp"

namespace penstock::sqlite::detail {

struct Takeover {
  std::string_view worker;
  Timestamp now{};
  Timestamp lease_ends{};
};

/// Takes every such lease for `worker`: each delivery that was in flight is charged for the crash,
/// and its claim has ended. In the transaction of a claim.
void take_over_expired(Connection& connection, const Takeover& takeover);

}  // namespace penstock::sqlite::detail

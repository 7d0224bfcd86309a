// Takeover: what a claim does to leases that have expired over work in flight.
#pragma once

#include "penstock/clock.hpp"
#include "store/sqlite/connection.hpp"

namespace penstock::sqlite::detail {

/// Ends every such lease: each delivery that was in flight is charged for the crash, and its claim
/// has ended. In the transaction of a claim.
void take_over_expired(Connection& connection, Timestamp now);

}  // namespace penstock::sqlite::detail

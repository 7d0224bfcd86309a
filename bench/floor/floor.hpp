// The floor: penstock's own statements on its own tables in a bare loop over libpq, without store,
// runtime, threads or checks. What is left over between this and penstock is their price.
#pragma once

#include "harness/work_order.hpp"

namespace penstock::bench {

/// Claims, notes and completes, batch after batch, on one connection.
void floor_dispatch(const WorkOrder& order);
/// Publishes batch after batch, on a connection for each thread.
void floor_publish(const WorkOrder& order);

}  // namespace penstock::bench

// A job as the statements give it: a run of columns that is the same everywhere.
#pragma once

#include "penstock/job.hpp"
#include "store/postgres/result.hpp"

namespace penstock::postgres::detail {

/// Progress and errors out of queue_body.state; empty JSON: none of either.
///
/// Throws: internal, where it is not what we write.
void read_state(std::string_view json, StoredJob& job);

}  // namespace penstock::postgres::detail

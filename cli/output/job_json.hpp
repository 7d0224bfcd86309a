// A job as JSON, the same in every command that prints one.
#pragma once

#include "output/json.hpp"
#include "penstock/queue_store.hpp"

namespace penstock::cli {

[[nodiscard]] Json json_of(const JobInfo& job);

}  // namespace penstock::cli

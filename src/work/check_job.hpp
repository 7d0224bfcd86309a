// Arguments of the queue at the public edge; see check.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "penstock/queue_store.hpp"

namespace penstock::work {

inline constexpr int kMaxAttempts = 1'000;
inline constexpr std::size_t kListLimit = 10'000;
inline constexpr std::size_t kProgressBytes = std::size_t{64} * 1024;

/// All of them, before anything is written. A message names the job by its place where there are
/// several: "job 3: priority must be …".
void check_jobs(std::span<const NewJob> jobs, std::size_t max_payload);
void check_queue_name(std::string_view queue);
void check_shards(int shards);
void check_job_query(const JobQuery& query);
/// At least one condition.
void check_dead_selection(const DeadSelection& selection);
/// A queue or a priority, each within its limits.
void check_destination(const Destination& to);
/// Valid JSON of at most 64 KiB.
void check_progress(std::string_view json);

}  // namespace penstock::work

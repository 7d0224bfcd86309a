// The checks of the queue's arguments.
#include "work/check_job.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "work/check.hpp"

namespace penstock::work {
namespace {

void check_headers(const Headers& headers) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : headers) {
    bytes += name.size() + value.size();
    if (bytes > limits::kHeadersBytes) break;
    check_text("headers", name, limits::kHeadersBytes);
    if (!value.empty()) check_text("headers", value, limits::kHeadersBytes);
  }
  if (bytes > limits::kHeadersBytes) {
    refuse("headers", "headers have more than " + std::to_string(limits::kHeadersBytes) + " bytes",
           limits::kHeadersBytes);
  }
}

void check_priority(int priority) {
  if (priority >= kFirstPriority && priority <= kLastPriority) return;
  refuse("priority", "priority must be 1 (first) to 4, found " + std::to_string(priority));
}

void check_unique(const NewJob& job) {
  if (!job.unique_key) return;
  check_text("unique_key", *job.unique_key, limits::kKeyBytes);
  // A job that waits holds its key, so that none is taken while the job changes lanes.
  for (const JobState state : {JobState::scheduled, JobState::ready, JobState::retrying}) {
    if (job.unique_states.contains(state)) continue;
    refuse("unique_states", "unique_states must include scheduled, ready and retrying");
  }
}

void check_job(const NewJob& job, std::size_t max_payload) {
  check_text("queue", job.queue, limits::kQueueBytes);
  check_text("kind", job.kind, limits::kKindBytes);
  if (job.key) check_text("key", *job.key, limits::kKeyBytes);
  check_text("content_type", job.content_type, limits::kContentTypeBytes);
  check_priority(job.priority);
  check_unique(job);
  check_headers(job.headers);
  if (job.max_attempts < 1 || job.max_attempts > kMaxAttempts) {
    refuse("max_attempts", "max_attempts must be 1 to " + std::to_string(kMaxAttempts) +
                               ", found " + std::to_string(job.max_attempts));
  }
  if (job.deadline && *job.deadline < Duration::zero()) {
    refuse("deadline", "deadline must not be negative; 0 means none");
  }
  if (job.payload.size() > max_payload) {
    refuse("payload",
           "payload has " + std::to_string(job.payload.size()) +
               " bytes; the limit of this store is " + std::to_string(max_payload) +
               ": store it elsewhere and enqueue where",
           max_payload);
  }
}

}  // namespace

void check_jobs(std::span<const NewJob> jobs, std::size_t max_payload) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    try {
      check_job(jobs[i], max_payload);
    } catch (const Error& error) {
      if (jobs.size() == 1) throw;
      throw Error(error.kind(), "job " + std::to_string(i + 1) + ": " + error.what(),
                  {.field = error.field(), .limit = error.limit()});
    }
  }
}

void check_queue_name(std::string_view queue) { check_text("queue", queue, limits::kQueueBytes); }

void check_shards(int shards) {
  if (shards >= 1 && shards <= kMaxShards) return;
  refuse("shards",
         "shards must be 1 to " + std::to_string(kMaxShards) + ", found " + std::to_string(shards));
}

void check_job_query(const JobQuery& query) {
  if (query.limit >= 1 && query.limit <= kListLimit) return;
  refuse("limit", "limit must be 1 to " + std::to_string(kListLimit) + ", found " +
                      std::to_string(query.limit));
}

void check_dead_selection(const DeadSelection& selection) {
  if (!selection.ids.empty() || selection.queue || selection.kind || selection.all) return;
  refuse("selection", "say which dead jobs: by id, queue or kind, or all of them");
}

void check_destination(const Destination& to) {
  if (!to.queue && !to.priority) refuse("destination", "say where to: a queue, a priority or both");
  if (to.queue) check_queue_name(*to.queue);
  if (to.priority) check_priority(*to.priority);
}

void check_progress(std::string_view json) {
  if (json.size() > kProgressBytes) {
    refuse("progress",
           "progress has " + std::to_string(json.size()) + " bytes; the limit is " +
               std::to_string(kProgressBytes),
           kProgressBytes);
  }
  if (!nlohmann::json::accept(json)) refuse("progress", "progress must be valid JSON");
}

}  // namespace penstock::work

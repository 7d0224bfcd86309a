// Jobs as JSON. Ids are strings: they may be larger than what every reader of JSON can hold.
#include "output/job_json.hpp"

#include "output/text.hpp"

namespace penstock::cli {

Json json_of(const JobInfo& job) {
  return Json::object()
      .set("id", std::to_string(job.id.value))
      .set("queue", job.queue)
      .set("kind", job.kind)
      .set("state", to_string(job.state))
      .set("priority", job.priority)
      .set("shard", job.shard)
      .set("key", job.key)
      .set("unique_key", job.unique_key)
      .set("attempts", job.attempts)
      .set("max_attempts", job.max_attempts)
      .set("suspect", job.suspect)
      .set("run_at", iso_time(job.run_at))
      .set("created_at", iso_time(job.created_at))
      .set("at", iso_time(job.at))
      .set("payload_bytes", job.payload_bytes)
      .set("last_error", job.last_error)
      .set("worker", job.worker);
}

}  // namespace penstock::cli

// A file of jobs, in one transaction.
#include "input/ndjson_enqueuer.hpp"

#include "input/job_line.hpp"

namespace penstock::cli {

EnqueueReport enqueue_ndjson(Store& store, const std::string& path, OnBadLine on_bad_line,
                             Progress& progress) {
  EnqueueReport report;
  const auto transaction = store.bus().begin();
  take_ndjson<NewJob>(
      path, on_bad_line, "enqueued", progress, parse_job_line,
      [&](std::span<const NewJob> jobs) {
        for (const Enqueued& one : store.queue().enqueue(jobs, transaction.get())) {
          ++(one.created ? report.enqueued : report.duplicates);
        }
      },
      report.skipped);
  transaction->commit();
  return report;
}

}  // namespace penstock::cli

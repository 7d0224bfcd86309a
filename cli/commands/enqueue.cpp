// `penstock enqueue`: one job from options, or many from NDJSON.
#include <fmt/format.h>

#include "commands/queue_commands.hpp"
#include "input/header_pairs.hpp"
#include "input/job_line.hpp"
#include "input/json_members.hpp"
#include "input/ndjson_enqueuer.hpp"
#include "input/spool.hpp"
#include "output/progress.hpp"
#include "output/say.hpp"
#include "output/text.hpp"
#include "penstock/queue.hpp"

namespace penstock::cli {
namespace {

NewJob job_of(const EnqueueOptions& options, std::size_t max_payload) {
  NewJob job{.queue = options.queue,
             .kind = options.kind,
             .priority = options.priority,
             .max_attempts = options.max_attempts,
             .headers = headers_of_pairs(options.headers)};
  if (!options.key.empty()) job.key = options.key;
  if (!options.unique_key.empty()) job.unique_key = options.unique_key;
  if (!options.unique_states.empty()) job.unique_states = parse_states(options.unique_states);
  if (!options.deadline.empty()) job.deadline = parse_span("deadline", options.deadline);
  if (!options.content_type.empty()) job.content_type = options.content_type;
  set_due(job, options.run_at, options.delay);
  if (options.payload && !options.payload_file.empty()) {
    refuse_member("payload", "give --payload or --payload-file, not both");
  }
  if (options.payload) job.payload = *options.payload;
  if (!options.payload_file.empty()) {
    job.payload = read_whole(options.payload_file, "payload", max_payload);
  }
  return job;
}

ExitCode enqueue_one(const Settings& settings, const EnqueueOptions& options) {
  if (options.queue.empty() || options.kind.empty()) {
    refuse_member(options.queue.empty() ? "queue" : "kind",
                  "expected --queue NAME and --kind KIND, or --ndjson FILE for many jobs");
  }
  const auto store = open(settings);
  const NewJob job = job_of(options, store->queue().capabilities().max_payload);
  Queue queue{*store};
  const Enqueued enqueued = queue.enqueue(job);
  if (settings.json()) {
    print(Json::object()
              .set("id", std::to_string(enqueued.id.value))
              .set("created", enqueued.created));
    return ExitCode::done;
  }
  print_text(enqueued.created
                 ? fmt::format("{} enqueued in {}\n", enqueued.id.value, options.queue)
                 : fmt::format("{} holds the unique key already: nothing was enqueued\n",
                               enqueued.id.value));
  return ExitCode::done;
}

ExitCode enqueue_many(const Settings& settings, const EnqueueOptions& options) {
  const bool has_single = !options.queue.empty() || !options.kind.empty() || options.payload ||
                          !options.payload_file.empty() || !options.key.empty() ||
                          !options.unique_key.empty() || !options.headers.empty() ||
                          !options.run_at.empty() || !options.delay.empty();
  if (has_single) {
    refuse_member("ndjson",
                  "the lines say queue, kind, payload and so on; the options of one job do not go "
                  "with --ndjson");
  }
  const auto store = open(settings);
  store->queue().setup(SetupMode::migrate);
  Progress progress{"enqueueing",
                    settings.json() ? Progress::Mode::off : Progress::Mode::on_terminal};
  const EnqueueReport report =
      enqueue_ndjson(*store, options.ndjson, options.on_bad_line, progress);
  progress.finish();
  if (settings.json()) {
    Json skipped = Json::array();
    for (const BadLine& bad : report.skipped) {
      skipped.push(Json::object().set("line", bad.line).set("message", bad.message));
    }
    print(Json::object()
              .set("enqueued", report.enqueued)
              .set("duplicates", report.duplicates)
              .set("skipped", skipped));
    return ExitCode::done;
  }
  for (const BadLine& bad : report.skipped) {
    say(fmt::format("penstock: skipped line {}: {}\n", bad.line, printable(bad.message)));
  }
  print_text(fmt::format(
      "{} enqueued, {} there before, {} skipped.\n", counted(report.enqueued, "job", "jobs"),
      counted(report.duplicates, "was", "were"),
      counted(static_cast<std::int64_t>(report.skipped.size()), "line", "lines")));
  return ExitCode::done;
}

}  // namespace

ExitCode run_enqueue(const Settings& settings, const EnqueueOptions& options) {
  if (options.ndjson.empty() && options.on_bad_line == OnBadLine::skip) {
    refuse_member("skip-bad", "expected together with --ndjson FILE, found alone");
  }
  return options.ndjson.empty() ? enqueue_one(settings, options) : enqueue_many(settings, options);
}

}  // namespace penstock::cli

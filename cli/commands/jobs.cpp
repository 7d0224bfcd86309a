// `penstock jobs`: looking at jobs, and what an operator does to single ones.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands/how_to_keep.hpp"
#include "commands/queue_commands.hpp"
#include "input/base64.hpp"
#include "input/json_members.hpp"
#include "output/job_json.hpp"
#include "output/table.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{text};
}

bool is_paused(const QueueStatistics& statistics, const std::string& queue) {
  return std::ranges::any_of(statistics.queues, [&](const QueueSettings& one) {
    return one.queue == queue && one.paused;
  });
}

std::string why_ready(QueueStore& store, const JobInfo& job) {
  const QueueStatistics statistics = store.statistics(Counting::fast);
  if (is_paused(statistics, job.queue)) return "its queue is paused: penstock queue set --resume";
  const bool anybody = std::ranges::any_of(statistics.workers, &QueueWorker::alive);
  if (!anybody) return "no worker is alive: start one with penstock work";
  const auto lane = std::ranges::find_if(statistics.lanes, [&](const LaneCounts& one) {
    return one.queue == job.queue && one.priority == job.priority && one.shard == job.shard;
  });
  const std::int64_t waiting = lane == statistics.lanes.end() ? 0 : lane->waiting;
  return fmt::format("ready: a worker that knows its kind takes it in its turn; {} in its lane",
                     counted(waiting, "job waits", "jobs wait"));
}

/// Why it is not running now, or where it is.
std::string why(QueueStore& store, const JobInfo& job) {
  switch (job.state) {
    case JobState::scheduled:
    case JobState::retrying: {
      const Timestamp now = store.list({.limit = 1}).at;
      if (job.run_at > now) {
        return fmt::format("not due for another {}", short_duration(job.run_at - now));
      }
      return "due: whoever maintains the queue puts it into its lane now";
    }
    case JobState::ready: return why_ready(store, job);
    case JobState::running:
      return fmt::format("running on {} since {}", job.worker.value_or("a worker that is gone"),
                         iso_time(job.at));
    case JobState::dead:
      return fmt::format("dead since {}: penstock jobs requeue {}", iso_time(job.at), job.id.value);
    case JobState::completed: return fmt::format("completed at {}", iso_time(job.at));
    case JobState::cancelled: return fmt::format("cancelled at {}", iso_time(job.at));
  }
  return {};
}

std::string text_of(const JobInfo& job, const std::string& reason, bool payload) {
  std::string text;
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("{:<13}{}\n", name, printable(value));
  };
  line("job", std::to_string(job.id.value));
  line("queue", job.queue);
  line("kind", job.kind);
  line("state",
       std::string{to_string(job.state)} + (job.suspect ? ", suspect: it runs alone next" : ""));
  line("why", reason);
  line("priority", std::to_string(job.priority));
  line("key", job.key.value_or("-"));
  line("unique key", job.unique_key.value_or("-"));
  line("attempts", fmt::format("{} of {}", job.attempts, job.max_attempts));
  line("due", iso_time(job.run_at));
  line("enqueued", iso_time(job.created_at));
  if (!job.job) return text;
  if (!job.job->progress.empty()) line("progress", job.job->progress);
  for (const AttemptError& error : job.job->errors) {
    line("error",
         fmt::format("attempt {} at {}: {}", error.attempt, iso_time(error.at), error.error));
  }
  if (!payload) return text;
  const std::string& bytes = job.job->job.payload;
  text += is_utf8(bytes) ? fmt::format("payload\n{}\n", bytes)
                         : fmt::format("payload in base64\n{}\n", encode_base64(bytes));
  return text;
}

Json whole_json(const JobInfo& job, const std::string& reason, bool payload) {
  Json json = json_of(job);
  json.set("why", reason);
  if (!job.job) return json;
  Json headers = Json::object();
  for (const auto& [name, value] : job.job->job.headers) headers.set(name, value);
  Json errors = Json::array();
  for (const AttemptError& error : job.job->errors) {
    errors.push(Json::object()
                    .set("attempt", error.attempt)
                    .set("at", iso_time(error.at))
                    .set("error", error.error));
  }
  json.set("content_type", job.job->job.content_type).set("headers", headers);
  json.set("progress", job.job->progress).set("errors", errors);
  if (!payload) return json;
  const std::string& bytes = job.job->job.payload;
  if (is_utf8(bytes)) return json.set("payload", bytes);
  return json.set("payload_base64", encode_base64(bytes));
}

std::vector<JobId> ids_of(const JobsChangeOptions& options) {
  std::vector<JobId> ids;
  for (const std::int64_t id : options.ids) ids.push_back(JobId{id});
  return ids;
}

/// Says what was done to which jobs; exit 1 where it was done to none.
ExitCode report_changes(const Settings& settings, const char* done,
                        const JobsChangeOptions& options, const std::vector<Verdict>& verdicts) {
  std::vector<std::int64_t> changed;
  std::vector<std::int64_t> left;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    (verdicts[i] == Verdict::done ? changed : left).push_back(options.ids[i]);
  }
  if (changed.empty()) {
    return report_not_found(
        fmt::format("nothing was {}: job {} has ended, is not where this applies, or never was",
                    done, fmt::join(left, ", ")),
        settings.format);
  }
  if (settings.json()) {
    Json items = Json::array();
    for (const std::int64_t id : changed) items.push(std::to_string(id));
    Json others = Json::array();
    for (const std::int64_t id : left) others.push(std::to_string(id));
    print(Json::object().set(done, items).set("left", others));
    return ExitCode::done;
  }
  print_text(fmt::format("{} {}.\n",
                         counted(static_cast<std::int64_t>(changed.size()), "job", "jobs"), done));
  if (!left.empty()) print_text(fmt::format("Left as they are: {}.\n", fmt::join(left, ", ")));
  return ExitCode::done;
}

}  // namespace

ExitCode run_jobs_list(const Settings& settings, const JobsListOptions& options) {
  const auto state = parse_job_state(options.state);
  if (!state) {
    refuse_member("state",
                  "expected scheduled, ready, running, retrying, dead, completed or cancelled, "
                  "found \"" +
                      options.state + "\"");
  }
  const auto store = open(settings);
  const JobPage page = store->queue().list({.state = *state,
                                            .queue = given(options.queue),
                                            .kind = given(options.kind),
                                            .after = JobId{options.after},
                                            .limit = options.limit});
  if (settings.json()) {
    Json items = Json::array();
    for (const JobInfo& job : page.items) items.push(json_of(job));
    print(Json::object()
              .set("items", items)
              .set("next", page.next ? Json(std::to_string(page.next->value)) : Json{}));
    return ExitCode::done;
  }
  if (page.items.empty()) {
    const bool is_history = *state == JobState::completed || *state == JobState::cancelled;
    const bool unkept = is_history && !store->queue().capabilities().completion_history;
    print_text(unkept ? fmt::format("They are not kept: {}.\n", how_to_keep(settings))
                      : fmt::format("No job is {}.\n", options.state));
    return ExitCode::done;
  }
  Table table{{{"id", Table::Align::right},
               {"queue"},
               {"kind"},
               {"priority", Table::Align::right},
               {"key"},
               {"attempts", Table::Align::right},
               {"due"},
               {"last error"}}};
  for (const JobInfo& job : page.items) {
    table.add({std::to_string(job.id.value), shortened(job.queue, 24), shortened(job.kind, 24),
               std::to_string(job.priority), shortened(job.key.value_or("-"), 24),
               fmt::format("{}{}", job.attempts, job.suspect ? ", suspect" : ""),
               iso_time(job.run_at).substr(0, 19), shortened(job.last_error, 48)});
  }
  print_text(table.text());
  if (page.next) print_text(fmt::format("More: --after {}\n", page.next->value));
  return ExitCode::done;
}

ExitCode run_jobs_show(const Settings& settings, const JobsShowOptions& options) {
  const auto store = open(settings);
  const auto job = store->queue().show(JobId{options.id});
  if (!job) {
    return report_not_found(
        fmt::format(
            "job {} is not kept: {}", options.id,
            store->queue().capabilities().completion_history
                ? "it ended before there was a history, its retention is over, or it never "
                  "existed"
                : "it ended and the store has no completion history, or it never existed; " +
                      how_to_keep(settings)),
        settings.format);
  }
  const std::string reason = why(store->queue(), *job);
  if (settings.json()) {
    print(whole_json(*job, reason, options.payload));
  } else {
    print_text(text_of(*job, reason, options.payload));
  }
  return ExitCode::done;
}

ExitCode run_jobs_cancel(const Settings& settings, const JobsChangeOptions& options) {
  const auto store = open(settings);
  return report_changes(settings, "cancelled", options, store->queue().cancel(ids_of(options)));
}

ExitCode run_jobs_bury(const Settings& settings, const JobsChangeOptions& options) {
  const auto store = open(settings);
  return report_changes(settings, "buried", options,
                        store->queue().bury(ids_of(options), options.reason));
}

ExitCode run_jobs_move(const Settings& settings, const JobsChangeOptions& options) {
  const auto store = open(settings);
  const Destination to{.queue = given(options.queue), .priority = options.priority};
  return report_changes(settings, "moved", options, store->queue().move(ids_of(options), to));
}

ExitCode run_jobs_requeue(const Settings& settings, const JobsChangeOptions& options) {
  const auto store = open(settings);
  const std::vector<JobId> ids = ids_of(options);
  const std::vector<JobId> done = store->queue().requeue({.ids = ids}, ids.size());
  std::vector<Verdict> verdicts;
  for (const JobId id : ids) {
    verdicts.push_back(std::ranges::find(done, id) == done.end() ? Verdict::lost : Verdict::done);
  }
  return report_changes(settings, "requeued", options, verdicts);
}

}  // namespace penstock::cli

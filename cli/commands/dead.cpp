// `penstock dead`: requeueing and deleting dead jobs by filter.
#include <fmt/format.h>

#include "commands/queue_commands.hpp"
#include "output/job_json.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

constexpr std::size_t kAtOnce = 1'000;

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{text};
}

DeadSelection selection_of(const DeadOptions& options) {
  DeadSelection selection{
      .queue = given(options.queue), .kind = given(options.kind), .all = options.all};
  for (const std::int64_t id : options.ids) selection.ids.push_back(JobId{id});
  const bool is_empty =
      selection.ids.empty() && !selection.queue && !selection.kind && !selection.all;
  if (is_empty) {
    throw Error(ErrorKind::usage,
                "selection: say which dead jobs: ids, --queue, --kind or --all; found none",
                {.field = "selection"});
  }
  return selection;
}

/// How many a selection is about, without touching them.
std::int64_t count_dead(QueueStore& store, const DeadSelection& selection) {
  std::int64_t count = 0;
  JobQuery query{.state = JobState::dead,
                 .queue = selection.queue,
                 .kind = selection.kind,
                 .ids = selection.ids,
                 .limit = kAtOnce};
  for (;;) {
    const JobPage page = store.list(query);
    count += static_cast<std::int64_t>(page.items.size());
    if (!page.next) return count;
    query.after = *page.next;
  }
}

ExitCode report(const Settings& settings, const char* done, std::int64_t count, bool dry_run) {
  if (settings.json()) {
    print(Json::object().set(done, count).set("dry_run", dry_run));
  } else {
    print_text(
        fmt::format("{} {}{}.\n", counted(count, "job", "jobs"), dry_run ? "would be " : "", done));
  }
  return ExitCode::done;
}

}  // namespace

ExitCode run_dead_requeue(const Settings& settings, const DeadOptions& options) {
  const DeadSelection selection = selection_of(options);
  const auto store = open(settings);
  if (options.dry_run) {
    return report(settings, "requeued", count_dead(store->queue(), selection), true);
  }
  std::int64_t count = 0;
  for (;;) {
    const auto done = static_cast<std::int64_t>(store->queue().requeue(selection, kAtOnce).size());
    count += done;
    if (done < static_cast<std::int64_t>(kAtOnce)) break;
  }
  return report(settings, "requeued", count, false);
}

ExitCode run_dead_purge(const Settings& settings, const DeadOptions& options) {
  const DeadSelection selection = selection_of(options);
  const auto store = open(settings);
  if (options.dry_run) {
    return report(settings, "purged", count_dead(store->queue(), selection), true);
  }
  std::int64_t count = 0;
  for (;;) {
    const std::int64_t done = store->queue().purge_dead(selection, kAtOnce);
    count += done;
    if (done < static_cast<std::int64_t>(kAtOnce)) break;
  }
  return report(settings, "purged", count, false);
}

}  // namespace penstock::cli

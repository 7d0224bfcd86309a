// `penstock queues` and `penstock queue set`: settings and counts of queues.
#include <fmt/format.h>

#include <map>

#include "commands/queue_commands.hpp"
#include "input/json_members.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "penstock/queue.hpp"

namespace penstock::cli {
namespace {

struct Totals {
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t scheduled = 0;
  std::int64_t retrying = 0;
  std::int64_t dead = 0;
  std::int64_t completed = 0;
};

std::map<std::string, Totals> totals_of(const QueueStatistics& statistics) {
  std::map<std::string, Totals> totals;
  for (const LaneCounts& lane : statistics.lanes) {
    Totals& sum = totals[lane.queue];
    sum.waiting += lane.waiting;
    sum.running += lane.running;
    sum.completed += lane.completed;
  }
  for (const AsideCounts& aside : statistics.aside) {
    Totals& sum = totals[aside.queue];
    sum.scheduled += aside.scheduled;
    sum.retrying += aside.retrying;
    sum.dead += aside.dead;
  }
  return totals;
}

Json json_of(const QueueStatistics& statistics) {
  auto totals = totals_of(statistics);
  Json items = Json::array();
  for (const QueueSettings& queue : statistics.queues) {
    const Totals& sum = totals[queue.queue];
    Json lanes = Json::array();
    for (const LaneCounts& lane : statistics.lanes) {
      if (lane.queue != queue.queue) continue;
      lanes.push(Json::object()
                     .set("priority", lane.priority)
                     .set("shard", lane.shard)
                     .set("waiting", lane.waiting)
                     .set("running", lane.running)
                     .set("claimed", lane.claimed)
                     .set("completed", lane.completed));
    }
    items.push(Json::object()
                   .set("queue", queue.queue)
                   .set("shards", queue.shards)
                   .set("paused", queue.paused)
                   .set("waiting", sum.waiting)
                   .set("running", sum.running)
                   .set("scheduled", sum.scheduled)
                   .set("retrying", sum.retrying)
                   .set("dead", sum.dead)
                   .set("completed", sum.completed)
                   .set("lanes", lanes));
  }
  return Json::object().set("items", items).set("next", Json{});
}

std::int64_t living(const QueueStatistics& statistics) {
  std::int64_t count = 0;
  for (const QueueWorker& worker : statistics.workers) count += worker.alive ? 1 : 0;
  return count;
}

}  // namespace

ExitCode run_queues(const Settings& settings) {
  const auto store = open(settings);
  const QueueStatistics statistics = store->queue().statistics(Counting::fast);
  if (settings.json()) {
    print(json_of(statistics));
    return ExitCode::done;
  }
  if (statistics.queues.empty()) {
    print_text("No queue has jobs or settings. `penstock enqueue` makes one.\n");
    return ExitCode::done;
  }
  using Align = Table::Align;
  Table table{{{"queue"},
               {"shards", Align::right},
               {"state"},
               {"waiting", Align::right},
               {"running", Align::right},
               {"scheduled", Align::right},
               {"retrying", Align::right},
               {"dead", Align::right},
               {"completed", Align::right}}};
  auto totals = totals_of(statistics);
  for (const QueueSettings& queue : statistics.queues) {
    const Totals& sum = totals[queue.queue];
    table.add({shortened(queue.queue, 32), std::to_string(queue.shards),
               queue.paused ? "paused" : "active", std::to_string(sum.waiting),
               std::to_string(sum.running), std::to_string(sum.scheduled),
               std::to_string(sum.retrying), std::to_string(sum.dead),
               std::to_string(sum.completed)});
  }
  print_text(table.text());
  print_text(fmt::format("{} at work.\n", counted(living(statistics), "worker", "workers")));
  return ExitCode::done;
}

ExitCode run_queue_set(const Settings& settings, const QueueSetOptions& options) {
  if (!options.shards && !options.paused) {
    refuse_member("arguments", "expected --shards N, --pause or --resume, found none");
  }
  const auto store = open(settings);
  Queue queue{*store};
  if (options.shards) queue.set_shards(options.queue, *options.shards);
  if (options.paused) *options.paused ? queue.pause(options.queue) : queue.resume(options.queue);
  if (settings.json()) {
    print(Json::object()
              .set("queue", options.queue)
              .set("shards", options.shards)
              .set("paused", options.paused));
    return ExitCode::done;
  }
  std::string text = options.queue + ":";
  if (options.shards) text += fmt::format(" {}", counted(*options.shards, "shard", "shards"));
  if (options.paused) text += *options.paused ? " paused" : " resumed";
  print_text(text + ".\n");
  return ExitCode::done;
}

}  // namespace penstock::cli

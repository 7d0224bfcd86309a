// `penstock work`: runs a shell command for each job of some queues, until it is told to stop.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands/exec_attempt.hpp"
#include "commands/queue_commands.hpp"
#include "input/json_members.hpp"
#include "output/say.hpp"
#include "output/text.hpp"
#include "penstock/queue.hpp"

namespace penstock::cli {
namespace {

constexpr Duration kShortestLease = std::chrono::milliseconds{100};  // The dispatcher's own.

void check(const WorkOptions& options) {
  if (options.command.empty()) refuse_member("exec", "expected a shell command, found none");
  if (options.concurrency < 1 || options.concurrency > 1000) {
    refuse_member("concurrency", fmt::format("expected 1 to 1000, found {}", options.concurrency));
  }
  if (options.lease < kShortestLease) {
    refuse_member("lease",
                  fmt::format("expected {} or more, found {}", short_duration(kShortestLease),
                              short_duration(options.lease)));
  }
}

std::vector<std::string> variables_of(const Job& job) {
  Json headers = Json::object();
  for (const auto& [name, value] : job.headers()) headers.set(name, value);
  return {"PENSTOCK_ID=" + std::to_string(job.id().value),
          "PENSTOCK_QUEUE=" + job.queue(),
          "PENSTOCK_KIND=" + job.kind(),
          "PENSTOCK_KEY=" + job.key().value_or(""),
          "PENSTOCK_ATTEMPT=" + std::to_string(job.attempt()),
          "PENSTOCK_HEADERS=" + headers.text()};
}

JobHandlerOptions handler_options_of(const WorkOptions& options) {
  JobHandlerOptions result{.deadline = options.deadline};
  if (options.retry_delay) {
    result.retry_delay = [delay = *options.retry_delay](int, double) { return delay; };
  }
  return result;
}

void print_end(const Settings& settings, const DispatcherCounters& counters) {
  if (settings.json()) {
    print(Json::object()
              .set("completed", counters.completed)
              .set("retried", counters.retried)
              .set("snoozed", counters.snoozed)
              .set("buried", counters.buried)
              .set("released", counters.released)
              .set("lost", counters.lost));
    return;
  }
  say(fmt::format(
      "penstock: stopped. {} completed, {} to be retried, {} snoozed, {} buried, {} released, "
      "{} lost to others\n",
      counters.completed, counters.retried, counters.snoozed, counters.buried, counters.released,
      counters.lost));
}

}  // namespace

ExitCode run_work(const Settings& settings, const WorkOptions& options) {
  check(options);
  Termination termination;
  StopFlag stopping;
  const auto store = open(settings);
  Queue queue{*store};
  const auto handler = [&](const Job& job) {
    const ExecAttempt attempt{.name = "job " + std::to_string(job.id().value),
                              .variables = variables_of(job),
                              .input = job.payload(),
                              .stop = job.stop_token(),
                              .stop_reason = [&] { return job.stop_reason(); }};
    return run_exec(attempt, {.command = options.command, .snooze = options.snooze}, stopping,
                    settings.log);
  };
  for (const std::string& name : options.queues) {
    for (const std::string& kind : options.kinds) {
      queue.work(name, kind, handler, handler_options_of(options));
    }
    queue.limit(name, {.concurrency = options.concurrency, .rate = options.rate});
  }
  Dispatcher dispatcher = queue.start({.name = "work",
                                       .lease = options.lease,
                                       .grace = options.grace,
                                       .abort_wait = kAbortWait,
                                       .concurrency = options.concurrency,
                                       .batch = std::max<std::size_t>(10, options.concurrency),
                                       .log = settings.log});
  const Served served = serve(dispatcher, termination, stopping, options.until, [&] {
    if (settings.json()) return;
    say(fmt::format("penstock: works on {} ({}); Ctrl-C or SIGTERM stops it cleanly\n",
                    fmt::join(options.queues, ", "), fmt::join(options.kinds, ", ")));
  });
  print_end(settings, dispatcher.counters());
  check_served(served);
  return ExitCode::done;
}

}  // namespace penstock::cli

// `penstock handle`: runs a shell command for each delivery of one handler, until it is told to
// stop.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "commands/commands.hpp"
#include "commands/leftover.hpp"
#include "commands/subscription.hpp"
#include "output/say.hpp"
#include "output/text.hpp"
#include "penstock/bus.hpp"
#include "process/command.hpp"
#include "process/stop_flag.hpp"
#include "process/termination.hpp"

namespace penstock::cli {
namespace {

constexpr int kExitSnooze = 75;
constexpr int kExitBury = 65;
constexpr int kDefaultAttempts = 25;
constexpr Duration kShortestLease = std::chrono::milliseconds{100};  // The dispatcher's own.
// A service manager signals the commands and this program at once; which learns it first is chance.
constexpr std::chrono::seconds kSignalSpread{1};
// A command that is killed after its grace must be gone before others get its delivery.
constexpr std::chrono::milliseconds kAbortWait = kTerminationGrace + std::chrono::milliseconds{500};
constexpr std::chrono::seconds kShortageDelay{1};

[[noreturn]] void refuse(const std::string& field, const std::string& message) {
  throw Error(ErrorKind::usage, field + ": " + message, {.field = field});
}

void check(const HandleOptions& options) {
  if (options.command.empty()) refuse("exec", "expected a shell command, found none");
  if (options.concurrency < 1 || options.concurrency > 1000) {
    refuse("concurrency", fmt::format("expected 1 to 1000, found {}", options.concurrency));
  }
  if (options.lease < kShortestLease) {
    throw Error(ErrorKind::usage,
                fmt::format("--lease: expected {} or more, found {}",
                            short_duration(kShortestLease), short_duration(options.lease)),
                {.field = "lease"});
  }
  if (options.max_attempts && *options.max_attempts < 1) {
    refuse("max-attempts", fmt::format("expected 1 or more, found {}", *options.max_attempts));
  }
}

std::string joined(const std::vector<std::string>& types) {
  return fmt::format("{}", fmt::join(types, ", "));
}

/// What the subscription shall be: as it is stored, but for what is given. Says what differs.
Subscription subscription_of(const Settings& settings, BusStore& store,
                             const HandleOptions& options) {
  store.setup(SetupMode::migrate);
  const std::optional<Subscription> stored = stored_subscription(store, options.handler);
  if (!stored) {
    if (options.types.empty()) {
      refuse("types", fmt::format("no handler \"{}\" is subscribed yet: expected --types PATTERN "
                                  "with its event types, found none",
                                  options.handler));
    }
    return {.handler = options.handler,
            .types = options.types,
            .max_attempts = options.max_attempts.value_or(kDefaultAttempts)};
  }
  Subscription wanted = *stored;
  if (!options.types.empty()) wanted.types = options.types;
  wanted.max_attempts = options.max_attempts.value_or(stored->max_attempts);
  warn_of_changes(settings, *stored, wanted);
  return wanted;
}

std::vector<std::string> variables_of(const Delivery& delivery) {
  Json headers = Json::object();
  for (const auto& [name, value] : delivery.event().headers) headers.set(name, value);
  return {"PENSTOCK_ID=" + delivery.event_id().to_string(),
          "PENSTOCK_TYPE=" + delivery.event().type,
          "PENSTOCK_KEY=" + delivery.event().key.value_or(""),
          "PENSTOCK_ATTEMPT=" + std::to_string(delivery.attempt()),
          "PENSTOCK_HANDLER=" + delivery.handler(),
          "PENSTOCK_HEADERS=" + headers.text()};
}

std::string with_tail(std::string sentence, const std::string& tail) {
  return tail.empty() ? sentence : std::move(sentence) + ": " + tail;
}

Outcome outcome_of_stop(const Delivery& delivery, const HandleOptions& options) {
  switch (delivery.stop_reason()) {
    case StopReason::timeout:
      return retry(fmt::format("the command ran longer than its timeout of {} and was stopped",
                               short_duration(options.timeout)));
    case StopReason::none:
    case StopReason::shutdown:
    case StopReason::lease_lost: break;
  }
  // By throwing it is released, and costs no attempt; a lost lease makes whatever is said void.
  throw std::runtime_error("the command was stopped");
}

/// Also where a shell says so of its last command.
bool is_end_by_termination(const CommandEnd& end) {
  const int signal = end.how == CommandEnd::How::signalled ? end.code : end.code - 128;
  return signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

/// The machine lacks something for now, and the delivery is not to blame.
Outcome put_off(const Delivery& delivery, const CommandEnd& end, const Log& log) {
  if (log) {
    const std::array<LogField, 3> fields{{{"delivery", std::to_string(delivery.id().value)},
                                          {"error", end.error_tail},
                                          {"again_in", short_duration(kShortageDelay)}}};
    log(LogLevel::warning, "a command could not be started now; its delivery is put off", fields);
  }
  return snooze(kShortageDelay);
}

Outcome run_attempt(const Delivery& delivery, const HandleOptions& options, StopFlag& stopping,
                    const Log& log) {
  const CommandRun run{.command = options.command,
                       .variables = variables_of(delivery),
                       .input = delivery.event().payload};
  const CommandEnd end = run_command(run, delivery.stop_token(), [&delivery] {
    // Another worker may already run a delivery whose lease is lost: end ours at once.
    return delivery.stop_reason() == StopReason::lease_lost ? StopManner::kill_at_once
                                                            : StopManner::terminate_then_kill;
  });
  const bool has_ended =
      end.how == CommandEnd::How::exited || end.how == CommandEnd::How::signalled;
  // The signal that stops us reached the command as well: that is not the delivery's fault.
  if (has_ended && is_end_by_termination(end) && delivery.stop_reason() == StopReason::none &&
      stopping.is_set_within(kSignalSpread)) {
    return snooze(Duration{0});
  }
  switch (end.how) {
    case CommandEnd::How::stopped: return outcome_of_stop(delivery, options);
    case CommandEnd::How::not_started:
      if (is_shortage(end)) return put_off(delivery, end, log);
      return retry(with_tail("the command could not be started", end.error_tail));
    case CommandEnd::How::unknown:
      return retry(with_tail("the command ended, and the system did not tell how", end.error_tail));
    case CommandEnd::How::signalled:
      return retry(
          with_tail(fmt::format("the command was killed by signal {}", end.code), end.error_tail));
    case CommandEnd::How::exited: break;
  }
  if (end.code == 0) return done();
  if (end.code == kExitSnooze) return snooze(options.snooze);
  if (end.code != kExitBury && delivery.stop_reason() != StopReason::none) {
    return outcome_of_stop(delivery, options);
  }
  const std::string error =
      with_tail(fmt::format("the command exited with {}", end.code), end.error_tail);
  return end.code == kExitBury ? bury(error) : retry(error);
}

HandlerOptions handler_options_of(const HandleOptions& options, int max_attempts) {
  HandlerOptions result{
      .concurrency = options.concurrency, .timeout = options.timeout, .max_attempts = max_attempts};
  if (options.retry_delay) {
    result.retry_delay = [delay = *options.retry_delay](int, double) { return delay; };
  }
  return result;
}

/// Empty where the store cannot tell: what was done is done all the same.
std::optional<Leftover> look_for_leftover(const Settings& settings, BusStore& store,
                                          const std::string& handler) {
  try {
    return leftover_of(store, handler);
  } catch (const Error& error) {
    warn(fmt::format("what is left behind could not be counted: {}", error.what()),
         settings.format);
    return std::nullopt;
  }
}

void print_end(const Settings& settings, const DispatcherCounters& counters,
               const std::optional<Leftover>& left, RunEnd end) {
  if (settings.json()) {
    Json json = Json::object();
    json.set("completed", counters.completed).set("retried", counters.retried);
    json.set("snoozed", counters.snoozed).set("buried", counters.buried);
    json.set("released", counters.released).set("lost", counters.lost);
    if (left) json.set("left", json_of(*left));
    print(json);
    return;
  }
  say(fmt::format(
      "penstock: stopped. {} completed, {} to be retried, {} snoozed, {} buried, {} released, "
      "{} lost to others\n",
      counters.completed, counters.retried, counters.snoozed, counters.buried, counters.released,
      counters.lost));
  const std::string sentence = left ? sentence_of(*left, end) : std::string{};
  if (!sentence.empty()) say(fmt::format("penstock: {}\n", sentence));
}

// For who does not want to wait for the grace period. What comes within a second of the first
// signal is the same wish said twice: `timeout` and service managers signal the process and its
// group.
void end_at_another_signal(Termination& termination, const std::stop_token& stopped) {
  const auto meant_at = std::chrono::steady_clock::now() + std::chrono::seconds{1};
  while (!stopped.stop_requested()) {
    if (!termination.wait(std::chrono::milliseconds{50})) continue;
    if (std::chrono::steady_clock::now() < meant_at) continue;
    kill_running_commands();
    std::_Exit(128 + termination.last_signal());
  }
}

void stop(Dispatcher& dispatcher, Termination& termination) {
  const std::jthread impatient{
      [&](const std::stop_token& stopped) { end_at_another_signal(termination, stopped); }};
  dispatcher.stop();
}

}  // namespace

ExitCode run_handle(const Settings& settings, const HandleOptions& options) {
  check(options);
  Termination termination;
  StopFlag stopping;
  bool gave_up = false;  // Before our own stop, which makes it unhealthy as well.
  const auto store = open(settings);
  const Subscription subscription = subscription_of(settings, store->bus(), options);
  Bus bus{*store};
  bus.subscribe(
      subscription.handler, subscription.types,
      [&](const Delivery& delivery) {
        return run_attempt(delivery, options, stopping, settings.log);
      },
      handler_options_of(options, subscription.max_attempts));
  Dispatcher dispatcher = bus.start({.name = "handle",
                                     .lease = options.lease,
                                     .grace = options.grace,
                                     .abort_wait = kAbortWait,
                                     .concurrency = options.concurrency,
                                     .batch = std::max<std::size_t>(10, options.concurrency),
                                     .log = settings.log});
  if (options.until == HandleOptions::Until::idle) {
    const std::jthread watcher{[&](const std::stop_token& finished) {
      while (!finished.stop_requested()) {
        if (!termination.wait(std::chrono::milliseconds{100})) continue;
        gave_up = !dispatcher.healthy();
        stopping.set();
        stop(dispatcher, termination);
        return;
      }
    }};
    dispatcher.run_until_idle();
  } else {
    if (!settings.json()) {
      say(fmt::format("penstock: {} handles {}; Ctrl-C or SIGTERM stops it cleanly\n",
                      subscription.handler, joined(subscription.types)));
    }
    // The wait ends now and then to see whether the dispatcher gave up.
    while (!termination.wait(std::chrono::seconds{1}) && dispatcher.healthy()) {
    }
  }
  // Where the watcher stopped it, the watcher has looked.
  const bool was_told_to_stop = stopping.is_set_within({});
  if (!was_told_to_stop) gave_up = !dispatcher.healthy();
  stopping.set();
  stop(dispatcher, termination);
  const bool was_to_be_idle = options.until == HandleOptions::Until::idle;
  print_end(settings, dispatcher.counters(),
            was_to_be_idle ? look_for_leftover(settings, store->bus(), subscription.handler)
                           : std::nullopt,
            was_told_to_stop || gave_up ? RunEnd::stopped : RunEnd::idle);
  if (gave_up) {
    throw Error(ErrorKind::internal,
                "the dispatcher stopped claiming after an internal error, which the log on stderr "
                "tells; please report it");
  }
  return ExitCode::done;
}

}  // namespace penstock::cli

// `penstock handle`: runs a shell command for each delivery of one handler, until it is told to
// stop.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands/commands.hpp"
#include "commands/exec_attempt.hpp"
#include "commands/leftover.hpp"
#include "commands/serve.hpp"
#include "commands/subscription.hpp"
#include "output/say.hpp"
#include "output/text.hpp"
#include "penstock/bus.hpp"

namespace penstock::cli {
namespace {

constexpr int kDefaultAttempts = 25;
constexpr Duration kShortestLease = std::chrono::milliseconds{100};  // The dispatcher's own.

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

}  // namespace

ExitCode run_handle(const Settings& settings, const HandleOptions& options) {
  check(options);
  Termination termination;
  StopFlag stopping;
  const auto store = open(settings);
  const Subscription subscription = subscription_of(settings, store->bus(), options);
  Bus bus{*store};
  bus.subscribe(
      subscription.handler, subscription.types,
      [&](const Delivery& delivery) {
        const ExecAttempt attempt{.name = "delivery " + std::to_string(delivery.id().value),
                                  .variables = variables_of(delivery),
                                  .input = delivery.event().payload,
                                  .stop = delivery.stop_token(),
                                  .stop_reason = [&] { return delivery.stop_reason(); }};
        return run_exec(attempt, {.command = options.command, .snooze = options.snooze}, stopping,
                        settings.log);
      },
      handler_options_of(options, subscription.max_attempts));
  Dispatcher dispatcher = bus.start({.name = "handle",
                                     .lease = options.lease,
                                     .grace = options.grace,
                                     .abort_wait = kAbortWait,
                                     .concurrency = options.concurrency,
                                     .batch = std::max<std::size_t>(10, options.concurrency),
                                     .log = settings.log});
  const Served served = serve(dispatcher, termination, stopping, options.until, [&] {
    if (settings.json()) return;
    say(fmt::format("penstock: {} handles {}; Ctrl-C or SIGTERM stops it cleanly\n",
                    subscription.handler, joined(subscription.types)));
  });
  const bool was_to_be_idle = options.until == Until::idle;
  print_end(settings, dispatcher.counters(),
            was_to_be_idle ? look_for_leftover(settings, store->bus(), subscription.handler)
                           : std::nullopt,
            served.was_told_to_stop || served.gave_up ? RunEnd::stopped : RunEnd::idle);
  check_served(served);
  return ExitCode::done;
}

}  // namespace penstock::cli

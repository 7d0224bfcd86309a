// Shell commands as attempts.
#include "commands/exec_attempt.hpp"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <stdexcept>

#include "output/text.hpp"
#include "process/command.hpp"

namespace penstock::cli {
namespace {

constexpr int kExitSnooze = 75;
constexpr int kExitBury = 65;
// A service manager signals the commands and this program at once; which learns it first is chance.
constexpr std::chrono::seconds kSignalSpread{1};
constexpr std::chrono::seconds kShortageDelay{1};

std::string with_tail(std::string sentence, const std::string& tail) {
  return tail.empty() ? sentence : std::move(sentence) + ": " + tail;
}

Outcome outcome_of_stop(const ExecAttempt& attempt) {
  switch (attempt.stop_reason()) {
    case StopReason::timeout:
      return retry("the command ran longer than its timeout and was stopped");
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

/// The machine lacks something for now, and the work is not to blame.
Outcome put_off(const ExecAttempt& attempt, const CommandEnd& end, const Log& log) {
  if (log) {
    const std::array<LogField, 3> fields{{{"attempt", attempt.name},
                                          {"error", end.error_tail},
                                          {"again_in", short_duration(kShortageDelay)}}};
    log(LogLevel::warning, "a command could not be started now; its attempt is put off", fields);
  }
  return snooze(kShortageDelay);
}

}  // namespace

Outcome run_exec(const ExecAttempt& attempt, const ExecOptions& options, StopFlag& stopping,
                 const Log& log) {
  const CommandRun run{
      .command = options.command, .variables = attempt.variables, .input = attempt.input};
  const CommandEnd end = run_command(run, attempt.stop, [&attempt] {
    // Another worker may already run work whose lease is lost: end ours at once.
    return attempt.stop_reason() == StopReason::lease_lost ? StopManner::kill_at_once
                                                           : StopManner::terminate_then_kill;
  });
  const bool has_ended =
      end.how == CommandEnd::How::exited || end.how == CommandEnd::How::signalled;
  // The signal that stops us reached the command as well: that is not the work's fault.
  if (has_ended && is_end_by_termination(end) && attempt.stop_reason() == StopReason::none &&
      stopping.is_set_within(kSignalSpread)) {
    return snooze(Duration{0});
  }
  switch (end.how) {
    case CommandEnd::How::stopped: return outcome_of_stop(attempt);
    case CommandEnd::How::not_started:
      if (is_shortage(end)) return put_off(attempt, end, log);
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
  if (end.code != kExitBury && attempt.stop_reason() != StopReason::none) {
    return outcome_of_stop(attempt);
  }
  const std::string error =
      with_tail(fmt::format("the command exited with {}", end.code), end.error_tail);
  return end.code == kExitBury ? bury(error) : retry(error);
}

}  // namespace penstock::cli

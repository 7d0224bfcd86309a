// One attempt as a shell command: what it gets, and what its end means.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/handler.hpp"
#include "penstock/log.hpp"
#include "process/stop_flag.hpp"

namespace penstock::cli {

/// The same for all attempts of a program.
struct ExecOptions {
  std::string command{};  ///< For the shell.
  Duration snooze = std::chrono::seconds{30};
};

struct ExecAttempt {
  std::string name{};  ///< "delivery 5", for the log.
  std::vector<std::string> variables{};
  std::string_view input{};
  std::stop_token stop{};
  std::function<StopReason()> stop_reason{};
};

/// Exit 0 is done, 75 snoozes, 65 buries, anything else retries with the tail of stderr. A signal
/// that stops this program and reached the command as well spends no attempt.
///
/// Throws: where the command was stopped for no fault of its own.
[[nodiscard]] Outcome run_exec(const ExecAttempt& attempt, const ExecOptions& options,
                               StopFlag& stopping, const Log& log);

}  // namespace penstock::cli

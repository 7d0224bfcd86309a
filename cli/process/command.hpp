// Runs one shell command for one attempt: payload in, exit code and the tail of stderr out, killed
// with all its children when the attempt is asked to stop.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::cli {

struct CommandRun {
  std::string command{};                 ///< For /bin/sh -c.
  std::vector<std::string> variables{};  ///< NAME=value, added to (or instead of) our own.
  std::string_view input{};              ///< Given on stdin.
};

struct CommandEnd {
  /// `stopped`: ended by a signal after it was asked to stop. `unknown`: it ended, and the system
  /// does not tell how.
  enum class How { exited, signalled, stopped, not_started, unknown } how = How::exited;
  int code = 0;              ///< Exit code; signal; errno of `not_started` and `unknown`.
  std::string error_tail{};  ///< The last 8 KiB of stderr, which is passed on as well.
};

/// Whether it was not started for want of descriptors, processes or memory: tried later it may well
/// be, and the command has no part in it.
[[nodiscard]] bool is_shortage(const CommandEnd& end) noexcept;

/// What a stopped command has between SIGTERM and SIGKILL.
inline constexpr std::chrono::seconds kTerminationGrace{2};
enum class StopManner { terminate_then_kill, kill_at_once };

/// Runs `run` to its end, or until `stop` is requested; `manner` is asked then. The command leads a
/// process group of its own, so Ctrl-C at the terminal does not reach it and a stop reaches all of
/// its children.
///
/// Threads: any thread, also several at once. SIGPIPE must be ignored in this process, and
/// SIGCHLD must not be.
[[nodiscard]] CommandEnd run_command(const CommandRun& run, const std::stop_token& stop,
                                     const std::function<StopManner()>& manner);

/// Kills every command that runs now, with its children: for a program that is about to end without
/// waiting for them. Threads: any thread.
void kill_running_commands();

}  // namespace penstock::cli

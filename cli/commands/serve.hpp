// A program that runs a dispatcher until it is told to stop, or until nothing is left to do.
#pragma once

#include <chrono>
#include <functional>

#include "penstock/dispatcher.hpp"
#include "process/command.hpp"
#include "process/stop_flag.hpp"
#include "process/termination.hpp"

namespace penstock::cli {

enum class Until { stopped, idle };

/// A command that is killed after its grace must be gone before others get its work.
inline constexpr std::chrono::milliseconds kAbortWait =
    kTerminationGrace + std::chrono::milliseconds{500};

struct Served {
  bool was_told_to_stop = false;
  bool gave_up = false;  ///< The dispatcher stopped by itself, after an internal error.
};

/// Returns once the dispatcher has stopped. `announce` says that it runs, where it runs until it is
/// stopped. A second signal kills the running commands and ends the process.
[[nodiscard]] Served serve(Dispatcher& dispatcher, Termination& termination, StopFlag& stopping,
                           Until until, const std::function<void()>& announce);

/// Throws `internal` where the dispatcher gave up.
void check_served(const Served& served);

}  // namespace penstock::cli

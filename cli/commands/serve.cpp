// Running until it is time to stop.
#include "commands/serve.hpp"

#include <cstdlib>
#include <thread>

#include "penstock/error.hpp"

namespace penstock::cli {
namespace {

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

Served serve(Dispatcher& dispatcher, Termination& termination, StopFlag& stopping, Until until,
             const std::function<void()>& announce) {
  Served served;  // `gave_up` is looked at before our own stop, which makes it unhealthy as well.
  if (until == Until::idle) {
    const std::jthread watcher{[&](const std::stop_token& finished) {
      while (!finished.stop_requested()) {
        if (!termination.wait(std::chrono::milliseconds{100})) continue;
        served.gave_up = !dispatcher.healthy();
        stopping.set();
        stop(dispatcher, termination);
        return;
      }
    }};
    dispatcher.run_until_idle();
  } else {
    announce();
    // The wait ends now and then to see whether the dispatcher gave up.
    while (!termination.wait(std::chrono::seconds{1}) && dispatcher.healthy()) {
    }
  }
  // Where the watcher stopped it, the watcher has looked.
  served.was_told_to_stop = stopping.is_set_within({});
  if (!served.was_told_to_stop) served.gave_up = !dispatcher.healthy();
  stopping.set();
  stop(dispatcher, termination);
  return served;
}

void check_served(const Served& served) {
  if (!served.gave_up) return;
  throw Error(ErrorKind::internal,
              "the dispatcher stopped claiming after an internal error, which the log on stderr "
              "tells; please report it");
}

}  // namespace penstock::cli

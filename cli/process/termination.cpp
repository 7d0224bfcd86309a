// Signals are waited for by one thread instead of being handled in the middle of anything.
#include "process/termination.hpp"

#include <signal.h>

#include <ctime>

namespace penstock::cli {
namespace {

sigset_t awaited_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  ::sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

Termination::Termination() {
  const sigset_t set = awaited_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

bool Termination::wait(std::chrono::milliseconds timeout) {
  const sigset_t set = awaited_signals();
  const std::timespec limit{.tv_sec = timeout.count() / 1000,
                            .tv_nsec = timeout.count() % 1000 * 1'000'000};
  const int signal = ::sigtimedwait(&set, nullptr, &limit);
  if (signal > 0) last_signal_ = signal;
  return signal > 0;
}

}  // namespace penstock::cli

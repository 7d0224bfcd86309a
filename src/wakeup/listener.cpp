// The listener.
#include "wakeup/listener.hpp"

#include "base/backoff.hpp"
#include "base/say.hpp"
#include "penstock/error.hpp"

namespace penstock::wakeup {
namespace {

constexpr Duration kLongWait = std::chrono::minutes{10};

}  // namespace

void Listener::run() {
  base::Backoff backoff(random_);
  while (!board_.stopping()) {
    try {
      auto fresh = listen_();
      {
        base::MutexLock lock(mutex_);
        wakeup_ = std::move(fresh);
      }
      backoff.reset();
      // Whatever was published while nobody listened.
      board_.hint();
      pass_on_hints();
    } catch (const Error& error) {
      base::say_store_error(log_, "listen", error, backoff.failures());
      if (!board_.pause(backoff.next())) return;
    }
  }
}

void Listener::pass_on_hints() {
  Wakeup* wakeup = nullptr;
  {
    base::MutexLock lock(mutex_);
    wakeup = wakeup_.get();
  }
  // Only this thread replaces it.
  while (!board_.stopping()) {
    if (wakeup->wait(kLongWait) == Wakeup::Reason::hint) board_.hint();
  }
}

void Listener::interrupt() {
  base::MutexLock lock(mutex_);
  if (wakeup_) wakeup_->interrupt();
}

}  // namespace penstock::wakeup

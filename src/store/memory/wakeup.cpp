// One counter of hints and one condition serve all listeners.
#include "store/memory/wakeup.hpp"

#include <chrono>

namespace penstock::memory {

class WakeupHub::Listener final : public Wakeup {
 public:
  Listener(WakeupHub& hub, std::uint64_t seen) : hub_(hub), seen_(seen) {}

  Reason wait(Duration timeout) override {
    // A day is as good as for ever and far from the end of the steady clock.
    const auto deadline =
        std::chrono::steady_clock::now() + std::min<Duration>(timeout, std::chrono::days{1});
    base::MutexLock lock(hub_.mutex_);
    while (true) {
      if (interrupted_) {
        interrupted_ = false;
        return Reason::interrupted;
      }
      if (seen_ != hub_.hints_) {
        seen_ = hub_.hints_;
        return Reason::hint;
      }
      if (std::chrono::steady_clock::now() >= deadline) return Reason::timeout;
      hub_.changed_.wait_until(lock, deadline);
    }
  }

  void interrupt() override {
    const base::MutexLock lock(hub_.mutex_);
    interrupted_ = true;
    hub_.changed_.notify_all();
  }

 private:
  WakeupHub& hub_;
  std::uint64_t seen_ PENSTOCK_GUARDED_BY(hub_.mutex_);
  bool interrupted_ PENSTOCK_GUARDED_BY(hub_.mutex_) = false;
};

void WakeupHub::hint() {
  const base::MutexLock lock(mutex_);
  ++hints_;
  changed_.notify_all();
}

std::unique_ptr<Wakeup> WakeupHub::listen() {
  const base::MutexLock lock(mutex_);
  return std::make_unique<Listener>(*this, hints_);
}

}  // namespace penstock::memory

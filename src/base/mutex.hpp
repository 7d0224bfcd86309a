// A mutex that clang's thread-safety analysis understands; libstdc++'s own carries no annotations.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define PENSTOCK_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define PENSTOCK_THREAD_ANNOTATION(x)
#endif

#define PENSTOCK_GUARDED_BY(x) PENSTOCK_THREAD_ANNOTATION(guarded_by(x))
#define PENSTOCK_REQUIRES(...) PENSTOCK_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define PENSTOCK_EXCLUDES(...) PENSTOCK_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

namespace penstock::base {

class PENSTOCK_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() PENSTOCK_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() PENSTOCK_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  bool try_lock() PENSTOCK_THREAD_ANNOTATION(try_acquire_capability(true)) {
    return mutex_.try_lock();
  }

 private:
  std::mutex mutex_;
};

/// Holds a mutex for a scope; may let go of it and take it again within.
class PENSTOCK_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) PENSTOCK_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() PENSTOCK_THREAD_ANNOTATION(release_capability()) {
    if (held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void unlock() PENSTOCK_THREAD_ANNOTATION(release_capability()) {
    mutex_.unlock();
    held_ = false;
  }
  void lock() PENSTOCK_THREAD_ANNOTATION(acquire_capability()) {
    mutex_.lock();
    held_ = true;
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

/// Waits with a MutexLock. Every wait is followed by a check of its condition.
class Condition {
 public:
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }
  void wait(MutexLock& lock) PENSTOCK_THREAD_ANNOTATION(no_thread_safety_analysis) {
    condition_.wait(lock);
  }
  template <typename Clock, typename Span>
  std::cv_status wait_until(MutexLock& lock, const std::chrono::time_point<Clock, Span>& deadline)
      PENSTOCK_THREAD_ANNOTATION(no_thread_safety_analysis) {
    return condition_.wait_until(lock, deadline);
  }

 private:
  std::condition_variable_any condition_;
};

}  // namespace penstock::base

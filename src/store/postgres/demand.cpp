// Flags and demand.
#include "store/postgres/demand.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "penstock/error.hpp"

namespace penstock::postgres::detail {

namespace {

// Work that is found so often, and so soon one after the other, would be notified of all the time.
constexpr int kBusy = 8;
constexpr std::chrono::milliseconds kInARow{20};
// Nothing was found for so long: a notification is worth while again.
constexpr std::chrono::milliseconds kQuiet{100};
constexpr Duration kFirstLook = std::chrono::milliseconds{2};
constexpr Duration kLongestLook = std::chrono::milliseconds{10};

}  // namespace

Flag::Flag() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ >= 0) return;
  throw Error(ErrorKind::unavailable,
              "the system gave no event descriptor: " + std::generic_category().message(errno) +
                  "; raise the limit of open files");
}

Flag::~Flag() { ::close(descriptor_); }

void Flag::raise() noexcept {
  const std::uint64_t one = 1;
  // It can only fail where the flag is raised already.
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof one);
}

bool Flag::take() noexcept {
  std::uint64_t count = 0;
  return ::read(descriptor_, &count, sizeof count) == sizeof count;
}

void Demand::add(Flag& flag) {
  base::MutexLock lock(mutex_);
  flags_.push_back(&flag);
}

void Demand::remove(Flag& flag) {
  base::MutexLock lock(mutex_);
  std::erase(flags_, &flag);
}

void Demand::set_open(bool open) {
  if (open_ == open) return;
  open_ = open;
  if (!open_) return;
  for (Flag* flag : flags_) flag->raise();
}

std::optional<Duration> Demand::claim_ended(Found found, Steady::time_point now) {
  base::MutexLock lock(mutex_);
  if (found == Found::nothing) {
    if (open_) return std::nullopt;
    if (now - last_find_ >= kQuiet) {
      set_open(true);
      return std::nullopt;
    }
    next_look_ = std::min<Duration>(next_look_ * 2, kLongestLook);
    return next_look_;
  }
  finds_in_a_row_ = now - last_find_ <= kInARow ? finds_in_a_row_ + 1 : 1;
  last_find_ = now;
  next_look_ = kFirstLook;
  if (found == Found::full_batch || finds_in_a_row_ >= kBusy) set_open(false);
  if (open_ || found == Found::full_batch) return std::nullopt;
  return next_look_;
}

bool Demand::is_open() {
  base::MutexLock lock(mutex_);
  return open_;
}

void LocalHints::add(Flag& flag) {
  base::MutexLock lock(mutex_);
  flags_.push_back(&flag);
}

void LocalHints::remove(Flag& flag) {
  base::MutexLock lock(mutex_);
  std::erase(flags_, &flag);
}

void LocalHints::raise() {
  base::MutexLock lock(mutex_);
  for (Flag* flag : flags_) flag->raise();
}

}  // namespace penstock::postgres::detail

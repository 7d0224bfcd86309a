// Flags and demand.
#include "store/postgres/demand.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "penstock/error.hpp"

namespace penstock::postgres::detail {

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

void Demand::claim_ended(bool was_full) {
  base::MutexLock lock(mutex_);
  if (open_ == !was_full) return;
  open_ = !was_full;
  if (!open_) return;
  for (Flag* flag : flags_) flag->raise();
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

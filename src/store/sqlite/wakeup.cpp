// Waiting with poll on three descriptors: interrupt, hints of this process, the log file.
#include "store/sqlite/wakeup.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "penstock/error.hpp"

namespace penstock::sqlite::detail {
namespace {

using namespace std::chrono_literals;

constexpr Duration kFirstLook = 1ms;
constexpr Duration kLongestLook = 32ms;
constexpr Duration kLookFor = 500ms;  // Longer than an fsync takes; beyond it, polling finds it.

int make_event() {
  const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) {
    throw Error(ErrorKind::unavailable,
                std::string("listen: the system gives no event descriptor: ") +
                    std::generic_category().message(errno) + "; raise the limit of open files",
                {.operation = "listen"});
  }
  return descriptor;
}

bool take_event(int descriptor) noexcept {
  std::uint64_t count = 0;
  return ::read(descriptor, &count, sizeof count) == sizeof count;
}

}  // namespace

void raise_event(int event_descriptor) noexcept {
  const std::uint64_t one = 1;
  // Fails only where the counter is full, and then the descriptor is readable already.
  [[maybe_unused]] const ssize_t written = ::write(event_descriptor, &one, sizeof one);
}

void Hints::add(int event_descriptor) {
  base::MutexLock lock(mutex_);
  descriptors_.push_back(event_descriptor);
}

void Hints::remove(int event_descriptor) {
  base::MutexLock lock(mutex_);
  std::erase(descriptors_, event_descriptor);
}

void Hints::signal() {
  base::MutexLock lock(mutex_);
  for (const int descriptor : descriptors_) raise_event(descriptor);
}

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

FileWakeup::FileWakeup(Database& database, Hints& hints)
    : database_(database),
      hints_(hints),
      log_path_(database.path() + "-wal"),
      log_name_(std::filesystem::path(log_path_).filename().string()),
      interrupted_(make_event()),
      hinted_(make_event()),
      files_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  watch_folder();
  watch_log();
  seen_version_ = database_.try_data_version();
  hints_.add(hinted_.value());
}

FileWakeup::~FileWakeup() { hints_.remove(hinted_.value()); }

void FileWakeup::watch_folder() {
  const std::string folder = std::filesystem::path(database_.path()).parent_path().string();
  // Only for a log that appears: what is written to other files here must cost nothing.
  if (files_.value() >= 0 &&
      ::inotify_add_watch(files_.value(), folder.c_str(), IN_CREATE | IN_MOVED_TO) >= 0) {
    return;
  }
  if (database_.options().log) {
    const std::array fields{LogField{"folder", folder},
                            LogField{"reason", std::generic_category().message(errno)}};
    database_.options().log(
        LogLevel::warning,
        "cannot watch the folder of the database; work of other processes is found by polling",
        fields);
  }
}

void FileWakeup::watch_log() {
  log_watch_ = ::inotify_add_watch(files_.value(), log_path_.c_str(), IN_MODIFY);
}

bool FileWakeup::log_was_written() {
  bool written = false;
  alignas(inotify_event) std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t bytes = ::read(files_.value(), buffer.data(), buffer.size());
    if (bytes <= 0) return written;
    for (std::size_t at = 0; at < static_cast<std::size_t>(bytes);) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      // After an overflow of the queue nobody knows, so look.
      const bool unknown = (event->mask & IN_Q_OVERFLOW) != 0;
      const bool appeared = event->len > 0 && log_name_ == event->name;
      if (unknown || appeared) watch_log();
      written = written || unknown || appeared ||
                (event->wd == log_watch_ && (event->mask & IN_MODIFY) != 0);
      at += sizeof(inotify_event) + event->len;
    }
  }
}

void FileWakeup::look_again_soon(Steady::time_point now) {
  next_look_ = now;
  look_delay_ = kFirstLook;
  looks_end_ = now + kLookFor;
}

bool FileWakeup::others_committed(Steady::time_point now) {
  // The series goes on after a commit was seen: the write that began it may belong to a later one.
  next_look_ = now + look_delay_;
  look_delay_ = std::min(look_delay_ * 2, kLongestLook);
  if (*next_look_ > looks_end_) next_look_.reset();
  const std::optional<std::int64_t> version = database_.try_data_version();
  if (!version || version == seen_version_) return false;
  seen_version_ = version;
  return true;
}

Wakeup::Reason FileWakeup::wait(Duration timeout) {
  const Steady::time_point deadline = Steady::now() + std::clamp<Duration>(timeout, 0us, 24h);
  for (;;) {
    const Steady::time_point until = next_look_ ? std::min(*next_look_, deadline) : deadline;
    const auto left = std::max<Steady::duration>(until - Steady::now(), Steady::duration::zero());
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    std::array<pollfd, 3> sources{pollfd{interrupted_.value(), POLLIN, 0},
                                  pollfd{hinted_.value(), POLLIN, 0},
                                  pollfd{files_.value(), POLLIN, 0}};
    ::poll(sources.data(), sources.size(), static_cast<int>(milliseconds));
    if (take_event(interrupted_.value())) return Reason::interrupted;
    if (take_event(hinted_.value())) return Reason::hint;
    const Steady::time_point now = Steady::now();
    if (files_.value() >= 0 && log_was_written()) look_again_soon(now);
    if (next_look_ && *next_look_ <= now && others_committed(now)) return Reason::hint;
    if (now >= deadline) return Reason::timeout;
  }
}

void FileWakeup::interrupt() { raise_event(interrupted_.value()); }

}  // namespace penstock::sqlite::detail

// The wake-up: hints from this process at once, and from other processes through the file system,
// without a statement while nothing happens.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "penstock/bus_store.hpp"
#include "store/sqlite/database.hpp"
#include "store/sqlite/hints.hpp"

namespace penstock::sqlite::detail {

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int value() const noexcept { return value_; }

 private:
  int value_;
};

class FileWakeup final : public Wakeup {
 public:
  FileWakeup(Database& database, Hints& hints);
  ~FileWakeup() override;

  Reason wait(Duration timeout) override;
  void interrupt() override;

 private:
  using Steady = std::chrono::steady_clock;

  void watch_folder();
  void watch_log();
  [[nodiscard]] bool log_was_written();
  void look_again_soon(Steady::time_point now);
  [[nodiscard]] bool others_committed(Steady::time_point now);

  Database& database_;
  Hints& hints_;
  const std::string log_path_;  ///< The write-ahead log: every commit writes to it.
  const std::string log_name_;  ///< Within its folder.
  Descriptor interrupted_;
  Descriptor hinted_;
  Descriptor files_;    ///< inotify on the log and, for when it appears, on its folder.
  int log_watch_ = -1;  ///< Negative while there is no log.
  std::optional<std::int64_t> seen_version_{};
  // A write to the log comes before its commit can be seen, by the time of an fsync. So a write
  // starts a short series of looks.
  std::optional<Steady::time_point> next_look_{};
  Duration look_delay_{};
  Steady::time_point looks_end_{};
};

}  // namespace penstock::sqlite::detail

// A progress bar on a terminal, for whatever takes more than a second. Elsewhere it is silent.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace penstock::cli {

/// Drawn on stderr, and only where that is a terminal. Threads: one thread at a time.
class Progress {
 public:
  enum class Mode { on_terminal, off };

  Progress(std::string label, Mode mode);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `note` follows the bar. Cheap: draws at most ten times a second.
  void update(std::uint64_t done, std::uint64_t total, const std::string& note = {});
  /// Wipes the bar. Safe to call twice.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_ = start_ + std::chrono::seconds{1};
};

}  // namespace penstock::cli

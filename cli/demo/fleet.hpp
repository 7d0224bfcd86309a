// The demo's worker processes: started, killed, replaced and stopped.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "demo/worker.hpp"

namespace penstock::cli::demo {

struct FleetOptions {
  std::string db{};
  std::string folder{};
  int size = 3;
  std::uint64_t seed = 0;
};

/// Kills and waits for what it started when destroyed. Threads: one thread at a time.
class Fleet {
 public:
  /// Starts all workers. Throws: unavailable.
  explicit Fleet(FleetOptions options);
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  enum class Aim { busy_only, anyone };
  enum class Kill { in_flight, idle, none };

  /// Kills one drawn worker with SIGKILL and starts another in its place.
  ///
  /// A worker is stopped first; `has_work`, asked by its name, then says what is in flight, and
  /// nothing can change that until the kill.
  Kill kill_one(Aim aim, const std::function<bool(const std::string& name)>& has_work);

  /// Replaces workers that ended by themselves, and counts them.
  void replace_fallen();
  [[nodiscard]] std::int64_t crashes() const noexcept { return crashes_; }

  /// SIGTERM, and SIGKILL for who does not end within ten seconds.
  void stop();

 private:
  struct Worker {
    pid_t pid = 0;
    int number = 0;
  };
  [[nodiscard]] Worker start();

  FleetOptions options_;
  std::mt19937_64 random_;
  std::vector<Worker> workers_{};
  int next_number_ = 1;
  std::int64_t crashes_ = 0;
};

}  // namespace penstock::cli::demo

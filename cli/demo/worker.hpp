// One worker of the demo: a process of its own, started by the hidden command `demo-worker`.
#pragma once

#include <string>

#include "exit_code.hpp"
#include "penstock/clock.hpp"

namespace penstock::cli::demo {

inline constexpr Duration kLease = std::chrono::seconds{2};

struct WorkerOptions {
  std::string db{};
  std::string folder{};
  int number = 0;
};

/// Handles until SIGTERM. Throws: unavailable, schema.
ExitCode run_worker(const WorkerOptions& options);

/// First half of the lease owner of worker `number`.
[[nodiscard]] std::string worker_name(int number);

}  // namespace penstock::cli::demo

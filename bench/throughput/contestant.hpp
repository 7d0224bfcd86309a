// Who is measured: penstock on a store, or a bare loop that does the same without penstock.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "handled_log.hpp"
#include "workload.hpp"

namespace penstock::bench {

struct Sample {
  double published_per_second = 0;
  double dispatched_per_second = 0;
  Exactness exactness{};
};

/// Runs a case from an empty store: publishes everything, then has everything handled.
class Contestant {
 public:
  virtual ~Contestant() = default;
  /// `folder` is empty and its own.
  [[nodiscard]] virtual Sample run(const Case& bench_case, const std::filesystem::path& folder) = 0;
};

[[nodiscard]] std::unique_ptr<Contestant> penstock_on_memory();
[[nodiscard]] std::unique_ptr<Contestant> penstock_on_sqlite();
/// A deque behind a mutex.
[[nodiscard]] std::unique_ptr<Contestant> bare_memory_loop();
/// The store's own statements on the store's own tables, from one thread, without penstock.
[[nodiscard]] std::unique_ptr<Contestant> bare_sqlite_loop();

/// Events per second, from `begin` until now.
[[nodiscard]] inline double rate_since(std::chrono::steady_clock::time_point begin,
                                       std::size_t events) {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(events) / took.count();
}

}  // namespace penstock::bench

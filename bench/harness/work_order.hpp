// What one process of a run shall do. The harness writes it to a file, and starts this program
// again as `penstock-bench work FILE`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/layout.hpp"
#include "throughput/workload.hpp"

namespace penstock::bench {

enum class Role {
  publish,
  dispatch,
  floor_publish,   ///< penstock's own statements in a bare loop.
  floor_dispatch,  ///< The same.
  prepare,         ///< An errand: makes the tables and publishes beforehand.
  count_left,      ///< An errand: says what is left in the tables.
  remove,          ///< An errand: removes the tables.
};

/// A defect of the harness's own making, which the verdict has to find.
enum class Defect {
  none,
  skip_one,  ///< One delivery is completed and not handled.
  twice,     ///< One is handled twice.
  swap_two,  ///< Two of one key are handled in the wrong order.
};

struct WorkOrder {
  Role role = Role::dispatch;
  Layout layout = Layout::penstock;
  /// Another build of this program, to be measured; empty: this one.
  std::filesystem::path program{};
  Keys keys = Keys::none;
  std::string url{};
  std::filesystem::path journal{};
  std::size_t pool_size = 10;
  std::size_t batch = 10;  ///< Per claim, or per publish.

  // Dispatching.
  std::size_t concurrency = 10;
  std::int64_t poll_ms = 1'000;
  std::int64_t lease_ms = 30'000;
  Defect defect = Defect::none;

  // Publishing.
  std::size_t threads = 1;
  std::uint32_t first_thread = 0;  ///< Decides the numbers of the events.
  double rate = 0;                 ///< Offered per second by all threads; 0: as fast as it goes.
  std::int64_t window_ms = 0;

  // Preparing.
  std::uint32_t preloaded = 0;

  [[nodiscard]] bool publishes() const noexcept {
    return role == Role::publish || role == Role::floor_publish;
  }
};

void write_order(const WorkOrder& order, const std::filesystem::path& path);
/// Throws: std::exception, where it is not there or damaged.
[[nodiscard]] WorkOrder read_order(const std::filesystem::path& path);

/// From PENSTOCK_BENCH_DEFECT; for the tests of the harness. Throws: std::runtime_error.
[[nodiscard]] Defect defect_of_environment();

}  // namespace penstock::bench

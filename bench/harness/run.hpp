// One run: empty tables, what is preloaded, processes that begin together, one window, the verdict.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/journal.hpp"
#include "harness/server_counters.hpp"
#include "harness/verdict.hpp"
#include "harness/work_order.hpp"

namespace penstock::bench {

class Crew;

struct RunPlan {
  Layout layout = Layout::penstock;
  /// Another build of this program, which makes the tables, publishes and handles; empty: this one.
  std::filesystem::path program{};
  std::string url{};
  std::uint32_t preloaded = 0;
  Keys keys = Keys::none;
  /// `url`, `layout`, `program`, `keys`, `journal` and `window_ms` are filled in.
  std::vector<WorkOrder> crew{};
  /// Dispatchers are told to end after this, or when everything preloaded is handled; what they
  /// run then they finish.
  std::chrono::milliseconds window{5'000};
  /// How long before the window the dispatchers begin: where the first events would else wait for
  /// their start.
  std::chrono::milliseconds dispatchers_ahead{0};
  /// Where there are publishers, or repeats are allowed: how much longer everything published may
  /// take to be handled.
  std::chrono::milliseconds drain{0};
  Repeats repeats = Repeats::forbidden;
  /// Off where the server is restarted: its counters do not survive that.
  bool counts_cost = true;
  /// Called every few milliseconds of the window, with the time since its beginning.
  std::function<void(std::chrono::nanoseconds, Crew&)> tick{};
  /// Called at the end of the window, before anything is counted.
  std::function<void()> after_window{};
};

struct RunRecord {
  std::int64_t begin_ns = 0;
  std::int64_t window_ns = 0;
  std::vector<Record> published{};  ///< What was preloaded included.
  std::vector<Record> handled{};    ///< By time.
  ServerCost cost{};
  Verdict verdict{};
};

/// Makes the tables that `plan` is about, and publishes what is preloaded; in this process.
[[nodiscard]] std::vector<Record> prepare(const RunPlan& plan);
/// What is left in them.
[[nodiscard]] Leftover leftover_of(const RunPlan& plan);

/// In a folder and in tables of its own, which are gone afterwards.
///
/// Throws: std::exception, where it could not be run at all.
[[nodiscard]] RunRecord run(const RunPlan& plan);

/// Events per second of `records` in the window; less where all that was preloaded was handled
/// sooner: then until the last of them.
[[nodiscard]] double rate_in_window(const RunRecord& record, const std::vector<Record>& records);
/// Per second, of those handled between two times.
[[nodiscard]] double rate_between(const RunRecord& record, std::int64_t from_ns,
                                  std::int64_t to_ns);

}  // namespace penstock::bench

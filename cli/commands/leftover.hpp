// What `penstock handle --until-idle` leaves behind, and why: idle means that nothing can be taken
// now, not that everything is done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "output/json.hpp"
#include "penstock/bus_store.hpp"

namespace penstock::cli {

/// Deliveries that are not done, of one handler, told apart by what they wait for.
struct Leftover {
  std::int64_t pending = 0;  ///< All that is not in flight; the next four are part of it.
  std::int64_t paused = 0;   ///< The handler is paused: all of them, whatever else holds them.
  std::int64_t waiting_for_key = 0;  ///< Another of its key comes first.
  std::int64_t due_later = 0;
  std::int64_t due = 0;
  std::optional<Duration> next_due_in{};  ///< Of those due later.
  std::int64_t in_flight = 0;             ///< Elsewhere.
  std::int64_t other_handlers = 0;        ///< Pending for handlers that this command does not run.
};

/// Why each delivery waits is asked of the first so many; more would make a cheap command dear.
inline constexpr std::int64_t kLookedAt = 10'000;

[[nodiscard]] Leftover leftover_of(BusStore& store, const std::string& handler);

[[nodiscard]] Json json_of(const Leftover& left);

/// Whether nothing could be taken any more, or the run ended before that.
enum class RunEnd { idle, stopped };

/// One sentence; empty where nothing is left. What is due after an idle end was not there to be
/// taken a moment before: new, put off until now (also by this run), or in lanes of others.
[[nodiscard]] std::string sentence_of(const Leftover& left, RunEnd end);

}  // namespace penstock::cli

// Whether a run did exactly what it should. One that did not has measured nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/journal.hpp"
#include "throughput/handled_log.hpp"

namespace penstock::bench {

/// What the store says is left after a run.
struct Leftover {
  std::int64_t pending = 0;  ///< In flight included: nothing runs any more.
  std::int64_t dead = 0;
};

/// Whether a delivery may be handled twice: where a process, a session or the server died while it
/// ran, "at least once" means just that.
enum class Repeats { forbidden, allowed };

struct Rules {
  Keys keys = Keys::none;
  /// Where repeats are allowed, the run must have been drained: what was handled and is still
  /// pending could else hide what was lost.
  Repeats repeats = Repeats::forbidden;
};

struct Verdict {
  /// `lost`: neither handled nor pending.
  Exactness handled{};
  Repeats repeats = Repeats::forbidden;
  /// More is pending than was not handled; where repeats are allowed: anything that is pending.
  std::uint64_t pending = 0;
  std::uint64_t dead = 0;
  std::string failure{};  ///< Why the run did not come to its end.

  [[nodiscard]] bool exact() const noexcept {
    const std::uint64_t repeated = repeats == Repeats::forbidden ? handled.duplicates : 0;
    return handled.lost + handled.unexpected + handled.order_violations + repeated == 0 &&
           pending + dead == 0 && failure.empty();
  }
  /// For people: what is wrong; "exact" where nothing is.
  [[nodiscard]] std::string to_string() const;
};

/// Order is judged by the first handling of each event: of one key, numbers must ascend.
[[nodiscard]] Verdict judge(std::span<const Record> published, std::span<const Record> handled,
                            const Rules& rules, const Leftover& leftover);

}  // namespace penstock::bench

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

struct Verdict {
  /// `lost`: neither handled nor pending.
  Exactness handled{};
  std::uint64_t pending = 0;  ///< More is pending than was not handled.
  std::uint64_t dead = 0;
  std::string failure{};  ///< Why the run did not come to its end.

  [[nodiscard]] bool exact() const noexcept {
    return handled.exact() && pending + dead == 0 && failure.empty();
  }
  /// For people: what is wrong; "exact" where nothing is.
  [[nodiscard]] std::string to_string() const;
};

/// Order is judged by the first handling of each event: of one key, numbers must ascend.
[[nodiscard]] Verdict judge(std::span<const Record> published, std::span<const Record> handled,
                            Keys keys, const Leftover& leftover);

}  // namespace penstock::bench

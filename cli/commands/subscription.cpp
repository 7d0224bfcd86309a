// A handler's name is enough to overwrite what others rely on, so nothing of it changes in silence.
#include "commands/subscription.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace penstock::cli {

std::optional<Subscription> stored_subscription(BusStore& store, const std::string& handler) {
  const std::vector<Subscription> all = store.subscriptions();
  const auto found = std::ranges::find(all, handler, &Subscription::handler);
  return found == all.end() ? std::nullopt : std::optional{*found};
}

void warn_of_changes(const Settings& settings, const Subscription& stored,
                     const Subscription& wanted) {
  std::vector<std::string> changes;
  if (!std::ranges::is_permutation(wanted.types, stored.types)) {
    changes.push_back(fmt::format("types were {}, now {}", fmt::join(stored.types, ", "),
                                  fmt::join(wanted.types, ", ")));
  }
  if (wanted.max_attempts != stored.max_attempts) {
    changes.push_back(
        fmt::format("max attempts were {}, now {}", stored.max_attempts, wanted.max_attempts));
  }
  if (changes.empty()) return;
  warn(fmt::format("{}: {}", stored.handler, fmt::join(changes, "; ")), settings.format);
}

}  // namespace penstock::cli

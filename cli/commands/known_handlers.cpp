// A mistyped name is no error for the store, which knows only that nothing matches.
#include "commands/known_handlers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace penstock::cli {

std::string there_are(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  if (names.empty()) return "there is none";
  const auto shown = std::span{names}.first(std::min(names.size(), kMost));
  return fmt::format("there {} {}{}", names.size() == 1 ? "is" : "are", fmt::join(shown, ", "),
                     names.size() > kMost ? fmt::format(" and {} more", names.size() - kMost) : "");
}

std::optional<std::string> unknown_handler(BusStore& store, const std::string& name) {
  const Statistics statistics = store.statistics();
  if (statistics.handlers.contains(name)) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [known, counts] : statistics.handlers) names.push_back(known);
  return fmt::format("no handler \"{}\" is subscribed, and no delivery of it is kept; {}", name,
                     there_are(names));
}

}  // namespace penstock::cli

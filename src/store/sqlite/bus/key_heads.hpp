// Heads of ordering keys: of each handler and key, the first pending delivery is marked, and only
// marked ones are found by a claim. So a deep backlog behind one key costs a claim nothing.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "store/sqlite/connection.hpp"

namespace penstock::sqlite::detail {

/// The (key, handler) pairs whose head changes in one write.
class KeyHeads {
 public:
  void add(std::string_view key, std::string_view handler) { pairs_.emplace(key, handler); }

  /// Unmarks the present heads; before deliveries that may come before them become pending.
  void demote(Connection& connection) const;
  /// Marks the first pending deliveries; after the old heads have ended.
  void promote(Connection& connection) const;

 private:
  [[nodiscard]] std::string json() const;

  std::set<std::pair<std::string, std::string>> pairs_;
};

}  // namespace penstock::sqlite::detail

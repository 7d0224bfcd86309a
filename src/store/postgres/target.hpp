// Whom to connect to: what libpq needs, without what is ours, and without the password in any
// message.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace penstock::postgres::detail {

/// Immutable.
class Target {
 public:
  /// Reads a connection string of libpq. Throws: usage, without quoting the string.
  explicit Target(const std::string& connection);

  /// Keywords and values as libpq wants them, with our defaults where the string says nothing.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& settings() const noexcept {
    return settings_;
  }
  /// For messages: `database "orders" on db.example`.
  [[nodiscard]] const std::string& place() const noexcept { return place_; }

  /// Whether libpq knows a connection option of this name.
  [[nodiscard]] static bool knows_option(const std::string& name);

 private:
  std::vector<std::pair<std::string, std::string>> settings_;
  std::string place_;
};

}  // namespace penstock::postgres::detail

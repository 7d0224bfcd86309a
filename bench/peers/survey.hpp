// Which peers can be had here, and in which configuration they are measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/layout.hpp"

namespace penstock::bench {

struct PresentPeer {
  Layout peer = Layout::pgq;
  std::string name{};
  std::string version{};
  std::string payload{};
  std::string publish{};       ///< How a batch is published.
  std::string batch{};         ///< What is taken at once.
  std::string acknowledged{};  ///< In which units work is said to be done.
};

struct AbsentPeer {
  Layout peer = Layout::pgq;
  std::string why{};  ///< One line: what is missing, and what to do.
};

struct Survey {
  std::vector<PresentPeer> present{};
  std::vector<AbsentPeer> absent{};

  [[nodiscard]] bool is_absent(Layout layout) const noexcept;
};

/// Looks for each of `wanted` on the server of `url`, which gets PgQ's extension, and installs
/// graphile-worker into the build folder; where that fails the peer is absent, and nothing throws.
[[nodiscard]] Survey look_for_peers(const std::vector<Layout>& wanted, const std::string& url);

}  // namespace penstock::bench

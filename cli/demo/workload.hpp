// What the demo publishes and which handlers it has: real webhooks, their keys spread over many
// repositories with one hot one, a flaky handler and one poison event.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "demo/auditor.hpp"
#include "penstock/event.hpp"

namespace penstock::cli::demo {

inline constexpr std::string_view kPoisonType = "demo.poison";
inline constexpr std::string_view kFlakyHandler = "ledger";
inline constexpr std::string_view kPoisonHandler = "fragile";
inline constexpr int kPoisonAttempts = 3;

[[nodiscard]] std::vector<AuditedHandler> handlers();

/// Makes events from input lines; the same seed and input give the same types, keys and payloads.
///
/// Threads: one thread at a time.
class Workload {
 public:
  /// `ndjson`: lines of type, key and payload. Throws: usage, naming the line.
  Workload(std::string_view ndjson, std::uint64_t seed);

  /// The next events, each with an id of its own. The poison event is one of the first.
  [[nodiscard]] std::vector<Event> next(std::size_t count);

 private:
  Event next_event();

  std::vector<Event> templates_{};
  std::string hot_key_{};
  std::mt19937_64 random_;
  std::uint64_t made_ = 0;
};

/// The payloads that were built into the program.
[[nodiscard]] std::string_view built_in_webhooks() noexcept;

}  // namespace penstock::cli::demo

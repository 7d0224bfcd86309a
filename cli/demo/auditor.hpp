// The auditor: compares what was published with what the handlers themselves wrote down. Pure
// functions over journals; the demo and the crash tests have the same one.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/ids.hpp"

namespace penstock::cli::demo {

/// An event that was published, in the order of publishing.
struct PublishedRecord {
  EventId id;
  std::string type{};
  std::optional<std::string> key{};
};

/// A handler finished its work on an event.
struct HandledRecord {
  std::string handler{};
  EventId id;
  std::int64_t at_ns = 0;       ///< On a clock that all workers share; only its order matters.
  std::int64_t latency_us = 0;  ///< From publishing to here.
};

/// Who should have got what.
struct AuditedHandler {
  std::string name{};
  std::vector<std::string> types{};  ///< Patterns.
};

struct WorkItem {
  std::string handler{};
  EventId id;
  friend auto operator<=>(const WorkItem&, const WorkItem&) = default;
};

struct Evidence {
  std::vector<AuditedHandler> handlers{};
  std::vector<PublishedRecord> published{};
  std::vector<HandledRecord> handled{};  ///< Of all workers, in any order.
  std::set<WorkItem> dead{};             ///< In the dead letters at the end.
  std::int64_t pending = 0;              ///< Unfinished in the store at the end.
};

struct Verdict {
  std::int64_t deliveries = 0;  ///< (event, handler) pairs that had to be handled.
  std::int64_t handled = 0;     ///< Of those, journalled at least once.
  std::int64_t duplicates = 0;  ///< Journalled again: legal after a kill.
  std::int64_t lost = 0;        ///< Neither journalled nor in the dead letters.
  std::int64_t unexpected = 0;  ///< Journalled but never published for that handler.
  /// First handling of an event before the first handling of the one before it, by handler and key.
  std::int64_t order_violations = 0;
  std::int64_t pending = 0;
  std::int64_t dead = 0;
  double p50_ms = 0;
  double p95_ms = 0;
  double p99_ms = 0;

  [[nodiscard]] bool is_good() const noexcept {
    return lost == 0 && unexpected == 0 && order_violations == 0 && pending == 0;
  }
};

[[nodiscard]] Verdict audit(const Evidence& evidence);

/// The auditor's own reading of a pattern: exact, `a.*`, `*`. Not the library's, which it audits.
[[nodiscard]] bool wants(std::string_view pattern, std::string_view type) noexcept;

}  // namespace penstock::cli::demo

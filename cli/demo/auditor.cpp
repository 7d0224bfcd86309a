// Judges by the handlers' own journals, never by counting rows of the store that is judged; the
// store is believed only where it admits something: dead letters and unfinished work.
#include "demo/auditor.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace penstock::cli::demo {
namespace {

struct First {
  std::int64_t at_ns = 0;
  std::int64_t latency_us = 0;
};
using FirstHandlings = std::map<WorkItem, First>;

bool wants(const AuditedHandler& handler, std::string_view type) {
  return std::ranges::any_of(
      handler.types, [type](const std::string& pattern) { return demo::wants(pattern, type); });
}

std::set<WorkItem> expected_work(const Evidence& evidence) {
  std::set<WorkItem> expected;
  for (const PublishedRecord& event : evidence.published) {
    for (const AuditedHandler& handler : evidence.handlers) {
      if (wants(handler, event.type)) expected.insert({handler.name, event.id});
    }
  }
  return expected;
}

FirstHandlings first_handlings(const std::vector<HandledRecord>& handled) {
  FirstHandlings firsts;
  for (const HandledRecord& record : handled) {
    const First first{record.at_ns, record.latency_us};
    const auto [place, is_new] = firsts.try_emplace({record.handler, record.id}, first);
    if (!is_new && record.at_ns < place->second.at_ns) place->second = first;
  }
  return firsts;
}

/// Walks one handler's events of each key in the order of publishing.
std::int64_t order_violations(const Evidence& evidence, const AuditedHandler& handler,
                              const FirstHandlings& firsts) {
  struct Place {
    std::int64_t last_ns = INT64_MIN;
    bool has_gap = false;  ///< An earlier event is neither handled nor dead.
  };
  std::map<std::string, Place, std::less<>> keys;
  std::int64_t violations = 0;
  for (const PublishedRecord& event : evidence.published) {
    if (!event.key || !wants(handler, event.type)) continue;
    Place& place = keys[*event.key];
    const WorkItem item{handler.name, event.id};
    const auto first = firsts.find(item);
    if (first == firsts.end()) {
      // A dead letter does not block its key; unfinished work does.
      if (!evidence.dead.contains(item)) place.has_gap = true;
      continue;
    }
    if (place.has_gap || first->second.at_ns < place.last_ns) ++violations;
    place.last_ns = std::max(place.last_ns, first->second.at_ns);
  }
  return violations;
}

double percentile_ms(const std::vector<std::int64_t>& sorted_us, double share) {
  if (sorted_us.empty()) return 0;
  const auto rank = std::ceil(share * static_cast<double>(sorted_us.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return static_cast<double>(sorted_us[index]) / 1000;
}

}  // namespace

bool wants(std::string_view pattern, std::string_view type) noexcept {
  if (pattern == "*") return true;
  if (!pattern.ends_with(".*")) return pattern == type;
  pattern.remove_suffix(1);
  return type.size() > pattern.size() && type.starts_with(pattern);
}

Verdict audit(const Evidence& evidence) {
  const std::set<WorkItem> expected = expected_work(evidence);
  const FirstHandlings firsts = first_handlings(evidence.handled);

  Verdict verdict{.deliveries = static_cast<std::int64_t>(expected.size()),
                  .duplicates = static_cast<std::int64_t>(evidence.handled.size()) -
                                static_cast<std::int64_t>(firsts.size()),
                  .pending = evidence.pending,
                  .dead = static_cast<std::int64_t>(evidence.dead.size())};
  for (const WorkItem& item : expected) {
    if (firsts.contains(item)) {
      ++verdict.handled;
    } else if (!evidence.dead.contains(item)) {
      ++verdict.lost;
    }
  }
  std::vector<std::int64_t> latencies_us;
  for (const auto& [item, first] : firsts) {
    latencies_us.push_back(first.latency_us);
    if (!expected.contains(item)) ++verdict.unexpected;
  }
  for (const AuditedHandler& handler : evidence.handlers) {
    verdict.order_violations += order_violations(evidence, handler, firsts);
  }
  std::ranges::sort(latencies_us);
  verdict.p50_ms = percentile_ms(latencies_us, 0.50);
  verdict.p95_ms = percentile_ms(latencies_us, 0.95);
  verdict.p99_ms = percentile_ms(latencies_us, 0.99);
  return verdict;
}

}  // namespace penstock::cli::demo

// See verdict.hpp.
#include "harness/verdict.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace penstock::bench {

std::string Verdict::to_string() const {
  std::string text = failure;
  const auto add = [&text](const char* what, std::uint64_t count) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += std::string(what) + " " + std::to_string(count);
  };
  add("lost", handled.lost);
  add("unexpected", handled.unexpected);
  if (repeats == Repeats::forbidden) add("duplicates", handled.duplicates);
  add("order violations", handled.order_violations);
  add("pending too many", pending);
  add("dead", dead);
  return text.empty() ? "exact" : text;
}

Verdict judge(std::span<const Record> published, std::span<const Record> handled,
              const Rules& rules, const Leftover& leftover) {
  Verdict verdict{.repeats = rules.repeats};
  std::unordered_set<std::uint32_t> missing;
  missing.reserve(published.size());
  for (const Record& record : published) {
    if (!missing.insert(record.number).second) ++verdict.handled.unexpected;
  }
  const std::unordered_set<std::uint32_t> expected = missing;

  std::vector<Record> in_time(handled.begin(), handled.end());
  std::ranges::stable_sort(in_time, {}, &Record::at_ns);
  std::unordered_map<std::uint32_t, std::uint32_t> last_of_key;
  for (const Record& record : in_time) {
    if (!expected.contains(record.number)) {
      ++verdict.handled.unexpected;
      continue;
    }
    if (missing.erase(record.number) == 0) {
      ++verdict.handled.duplicates;
      continue;
    }
    const auto key = key_of(record.number, rules.keys);
    if (!key) continue;
    const auto [last, is_first] = last_of_key.try_emplace(*key, record.number);
    if (!is_first && record.number < last->second) ++verdict.handled.order_violations;
    last->second = record.number;
  }

  const auto waiting = static_cast<std::uint64_t>(std::max<std::int64_t>(0, leftover.pending));
  if (missing.size() > waiting) verdict.handled.lost = missing.size() - waiting;
  if (waiting > missing.size()) verdict.pending = waiting - missing.size();
  if (rules.repeats == Repeats::allowed) verdict.pending = waiting;
  verdict.dead = static_cast<std::uint64_t>(leftover.dead);
  return verdict;
}

}  // namespace penstock::bench

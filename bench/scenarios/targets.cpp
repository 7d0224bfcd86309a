// See targets.hpp. The limits are those of issue 4.
#include "scenarios/targets.hpp"

#include <algorithm>
#include <functional>

#include "report/text.hpp"

namespace penstock::bench {
namespace {

using Lines = std::vector<const Line*>;

constexpr double kMostWal = 300;
constexpr double kMostWalFullBatch = 120;
constexpr std::size_t kFullBatch = 200;

Lines find(const std::vector<Line>& lines, const std::string& scenario,
           const std::function<bool(const Line&)>& matches) {
  Lines found;
  for (const Line& line : lines) {
    const bool is_asked = line.scenario == scenario && line.has(Contender::penstock);
    if (is_asked && matches(line)) found.push_back(&line);
  }
  return found;
}

Lines find(const std::vector<Line>& lines, const std::string& scenario, const std::string& name) {
  return find(lines, scenario, [&](const Line& line) { return name.empty() || line.name == name; });
}

/// Fills in what all rows share; `judge` is asked only where every run was exact.
void add(std::vector<TargetRow>& rows, TargetRow row, const Lines& lines,
         const std::function<void(TargetRow&)>& judge) {
  if (lines.empty()) return;
  // What a peer did says nothing about penstock.
  if (std::ranges::all_of(lines, [](const Line* line) {
        return line->exact(Contender::penstock) && line->exact(Contender::baseline) &&
               line->exact(Contender::floor);
      })) {
    judge(row);
  } else {
    row.measured = "INVALID";
    row.met = false;
  }
  rows.push_back(std::move(row));
}

std::string rate(const Line& line, Contender contender) {
  return std::string(to_string(contender)) + " " + grouped(line.rates(contender).median) + "/s";
}

void judge_ratio(TargetRow& row, const Line& line, double least) {
  row.measured = rate(line, Contender::penstock);
  if (!line.has(Contender::baseline)) return;
  const Spread ratio = line.ratios(Contender::penstock, Contender::baseline);
  row.measured = times(ratio) + "; " + row.measured + ", " + rate(line, Contender::baseline);
  row.met = ratio.median >= least;
}

void judge_ratio_or_floor(TargetRow& row, const Line& line, double least) {
  judge_ratio(row, line, least);
  if (!line.has(Contender::floor)) return;
  constexpr double kOfTheFloor = 0.7;
  const Spread share = line.ratios(Contender::penstock, Contender::floor);
  row.measured += ", " + fixed(100 * share.median, 0) + " % of the floor";
  row.met = row.met.value_or(false) || share.median >= kOfTheFloor;
}

std::optional<double> wal_of(const Line& line) {
  const auto found = line.spread(Contender::penstock, [](const Measurement& one) {
    return one.cost.wal_bytes && one.units > 0 ? std::optional(*one.cost.wal_bytes / one.units)
                                               : std::nullopt;
  });
  return found ? std::optional(found->median) : std::nullopt;
}

void judge_wal(TargetRow& row, const Lines& lines) {
  double any = 0;
  double full = 0;
  for (const Line* line : lines) {
    const auto wal = wal_of(*line);
    if (!wal) continue;
    any = std::max(any, *wal);
    if (line->batch == kFullBatch) full = std::max(full, *wal);
  }
  if (any == 0) {
    row.measured = "–";
    return;
  }
  row.measured = "at most " + fixed(any, 0) + " B; batch 200: " + fixed(full, 0) + " B";
  row.met = any <= kMostWal && full <= kMostWalFullBatch;
}

void judge_publish(TargetRow& row, const Lines& lines, double least) {
  const Line* worst = nullptr;
  for (const Line* line : lines) {
    if (!line->has(Contender::baseline)) continue;
    const auto ratio = [](const Line& one) {
      return one.ratios(Contender::penstock, Contender::baseline).median;
    };
    if (worst == nullptr || ratio(*line) < ratio(*worst)) worst = line;
  }
  row.measured = std::to_string(lines.size()) + " configurations";
  if (worst == nullptr) return;
  const Spread ratio = worst->ratios(Contender::penstock, Contender::baseline);
  row.measured += "; the least " + times(ratio) + " at " + worst->name;
  row.met = ratio.median >= least;
}

struct LatencyLimits {
  double p50_ms;
  double p99_ms;
};

void judge_latency(TargetRow& row, const Line& line, const LatencyLimits& limits) {
  const auto p50 = line.spread(Contender::penstock, [](const Measurement& one) {
    return one.latency ? std::optional(one.latency->p50_ms) : std::nullopt;
  });
  const auto p99 = line.spread(Contender::penstock, [](const Measurement& one) {
    return one.latency ? std::optional(one.latency->p99_ms) : std::nullopt;
  });
  if (!p50 || !p99) return;
  // At a lower rate than was offered, the latency is no answer.
  constexpr double kInFull = 0.95;
  const auto share = line.spread(Contender::penstock, [](const Measurement& one) {
    return std::optional(one.published_per_second.value_or(0) / one.offered_per_second.value_or(1));
  });
  row.measured = fixed(p50->median, 1) + " / " + fixed(p99->median, 1) + " ms, at " +
                 rate(line, Contender::penstock);
  row.met =
      p50->median <= limits.p50_ms && p99->median <= limits.p99_ms && share->median >= kInFull;
}

void judge_held(TargetRow& row, const Line& line) {
  constexpr double kLeastShare = 0.8;
  const auto share = line.spread(Contender::penstock, [](const Measurement& one) {
    return one.rate_before.value_or(0) > 0 ? std::optional(one.per_second / *one.rate_before)
                                           : std::nullopt;
  });
  if (!share) return;
  row.measured = times(*share) + "; " + rate(line, Contender::penstock);
  row.met = share->median >= kLeastShare;
}

}  // namespace

std::vector<TargetRow> judge_targets(const std::vector<Line>& lines) {
  std::vector<TargetRow> rows;
  const Lines defaults = find(lines, "dispatch", "1 process, defaults");
  add(rows, {"dispatch, 1 process, defaults / baseline", "≥ 2 ×"}, defaults,
      [&](TargetRow& row) { judge_ratio(row, *defaults.front(), 2); });
  const Lines tuned = find(lines, "dispatch", "1 process, tuned");
  add(rows, {"dispatch, 1 process, tuned / baseline", "≥ 6 ×, or ≥ 70 % of the floor"}, tuned,
      [&](TargetRow& row) { judge_ratio_or_floor(row, *tuned.front(), 6); });
  const Lines eight = find(lines, "dispatch", "8 processes, tuned");
  add(rows, {"dispatch, 8 processes, tuned / baseline", "≥ 12 ×, or ≥ 70 % of the floor"}, eight,
      [&](TargetRow& row) { judge_ratio_or_floor(row, *eight.front(), 12); });
  const Lines all = find(lines, "dispatch", "");
  add(rows, {"WAL per dispatched delivery less full-page images", "≤ 300 B; batch 200: ≤ 120 B"},
      all, [&](TargetRow& row) { judge_wal(row, all); });
  const Lines publish = find(lines, "publish", "");
  add(rows, {"publish / baseline, each configuration", "≥ 1.0 ×"}, publish,
      [&](TargetRow& row) { judge_publish(row, publish, 1.0); });
  const Lines hundred = find(lines, "publish", [](const Line& line) { return line.batch == 100; });
  add(rows, {"publish / baseline, batch 100", "≥ 1.5 ×"}, hundred,
      [&](TargetRow& row) { judge_publish(row, hundred, 1.5); });
  const Lines mixed = find(lines, "mixed", "1000/s, defaults");
  add(rows, {"mixed 1,000/s, defaults: p50 / p99", "≤ 10 / ≤ 50 ms"}, mixed,
      [&](TargetRow& row) { judge_latency(row, *mixed.front(), {.p50_ms = 10, .p99_ms = 50}); });
  const Lines mixed_tuned = find(lines, "mixed", "1000/s, tuned");
  add(rows, {"mixed 1,000/s, tuned: p50 / p99", "≤ 5 / ≤ 30 ms"}, mixed_tuned, [&](TargetRow& row) {
    judge_latency(row, *mixed_tuned.front(), {.p50_ms = 5, .p99_ms = 30});
  });
  const Lines greatest = find(lines, "greatest rate", "");
  add(rows, {"mixed, greatest rate held with backlog < 1 s / baseline", "≥ 3 ×"}, greatest,
      [&](TargetRow& row) { judge_ratio(row, *greatest.front(), 3); });
  const Lines hot = find(lines, "hot key", "");
  add(rows, {"one hot key (every delivery one key) / baseline", "≥ 10 ×"}, hot,
      [&](TargetRow& row) { judge_ratio(row, *hot.front(), 10); });
  const Lines held = find(lines, "held transaction", "");
  add(rows, {"rate under a held transaction / before", "≥ 0.8"}, held,
      [&](TargetRow& row) { judge_held(row, *held.front()); });
  return rows;
}

}  // namespace penstock::bench

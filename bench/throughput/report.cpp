// The table and the floors; see report.hpp.
#include "report.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace penstock::bench {
namespace {

constexpr std::size_t kFloorBatch = 200;
constexpr double kMemoryDispatchedPerSecond = 300'000;
constexpr double kSqliteOfBareLoop = 0.5;

double rate_of(const Sample& sample, Phase phase) {
  return phase == Phase::publish ? sample.published_per_second : sample.dispatched_per_second;
}

std::string name_of(const Comparison& comparison) {
  return comparison.store + ", batch " + std::to_string(comparison.bench_case.batch) +
         (comparison.bench_case.keys == Keys::none ? ", unkeyed" : ", keyed");
}

const char* name_of(Phase phase) { return phase == Phase::publish ? "published" : "dispatched"; }

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

void check_exact(const Comparison& comparison, const std::vector<Sample>& samples, const char* who,
                 std::vector<std::string>& problems) {
  for (const Sample& sample : samples) {
    const Exactness& found = sample.exactness;
    if (found.exact()) continue;
    problems.push_back(name_of(comparison) + ", " + who + ": lost " + std::to_string(found.lost) +
                       ", duplicates " + std::to_string(found.duplicates) + ", unexpected " +
                       std::to_string(found.unexpected) + ", order violations " +
                       std::to_string(found.order_violations));
  }
}

}  // namespace

Spread rates(const std::vector<Sample>& samples, Phase phase) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const Sample& sample : samples) values.push_back(rate_of(sample, phase));
  return spread_of(std::move(values));
}

Spread ratios(const Comparison& comparison, Phase phase) {
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(comparison.ours.size(), comparison.bare.size()); ++i) {
    values.push_back(rate_of(comparison.ours[i], phase) / rate_of(comparison.bare[i], phase));
  }
  return spread_of(std::move(values));
}

void print_header(std::ostream& out) {
  out << "| store | batch | keys | events | phase | penstock /s (low – high) | bare loop /s (low – "
         "high) | ratio (low – high) |\n"
      << "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
}

void print_row(std::ostream& out, const Comparison& comparison) {
  for (const Phase phase : {Phase::publish, Phase::dispatch}) {
    const Spread ours = rates(comparison.ours, phase);
    const Spread bare = rates(comparison.bare, phase);
    const Spread ratio = ratios(comparison, phase);
    out << "| " << comparison.store << " | " << comparison.bench_case.batch << " | "
        << (comparison.bench_case.keys == Keys::none ? "no" : "200") << " | "
        << comparison.bench_case.events << " | " << name_of(phase) << " | " << fixed(ours.median, 0)
        << " (" << fixed(ours.low, 0) << " – " << fixed(ours.high, 0) << ") | "
        << fixed(bare.median, 0) << " (" << fixed(bare.low, 0) << " – " << fixed(bare.high, 0)
        << ") | " << fixed(ratio.median, 2) << " (" << fixed(ratio.low, 2) << " – "
        << fixed(ratio.high, 2) << ") |\n";
  }
  out.flush();
}

std::vector<std::string> inexact_runs(const std::vector<Comparison>& comparisons) {
  std::vector<std::string> problems;
  for (const Comparison& comparison : comparisons) {
    check_exact(comparison, comparison.ours, "penstock", problems);
    check_exact(comparison, comparison.bare, "bare loop", problems);
  }
  return problems;
}

std::vector<std::string> missed_floors(const std::vector<Comparison>& comparisons) {
  std::vector<std::string> problems;
  for (const Comparison& comparison : comparisons) {
    if (comparison.bench_case.batch != kFloorBatch) continue;
    if (comparison.store == "memory") {
      const double found = rates(comparison.ours, Phase::dispatch).median;
      if (found < kMemoryDispatchedPerSecond) {
        problems.push_back(name_of(comparison) + ": " + fixed(found, 0) +
                           " dispatched/s, the floor is " + fixed(kMemoryDispatchedPerSecond, 0));
      }
      continue;
    }
    for (const Phase phase : {Phase::publish, Phase::dispatch}) {
      const double found = ratios(comparison, phase).median;
      if (found < kSqliteOfBareLoop) {
        problems.push_back(name_of(comparison) + ": " + name_of(phase) + " at " + fixed(found, 2) +
                           " of the bare loop, the floor is " + fixed(kSqliteOfBareLoop, 2));
      }
    }
  }
  return problems;
}

}  // namespace penstock::bench

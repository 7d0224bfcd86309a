// Publishers and dispatchers together, at an offered rate.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "scenarios/dispatch_crew.hpp"
#include "scenarios/mixed.hpp"
#include "scenarios/scenarios.hpp"

namespace penstock::bench {
namespace {

constexpr std::size_t kPublishers = 8;  // Threads of one process.
constexpr std::chrono::milliseconds kAhead{500};
/// Less than all of it: a window may end between two batches.
constexpr double kPublishedInFull = 0.98;
constexpr double kFirstRate = 500;
constexpr double kCloseEnough = 1.5;
constexpr int kTries = 9;

std::vector<double> latencies_ms(const RunRecord& record) {
  std::unordered_map<std::uint32_t, std::int64_t> committed;
  committed.reserve(record.published.size());
  for (const Record& one : record.published) committed.emplace(one.number, one.at_ns);
  std::vector<double> latencies;
  latencies.reserve(record.handled.size());
  for (const Record& one : record.handled) {
    const auto found = committed.find(one.number);
    if (found == committed.end()) continue;
    // A handler may have it before the publisher hears of its own commit.
    const std::int64_t took = std::max<std::int64_t>(0, one.at_ns - found->second);
    latencies.push_back(static_cast<double>(took) / 1e6);
  }
  return latencies;
}

double greatest_backlog(const RunRecord& record) {
  std::vector<std::int64_t> published;
  published.reserve(record.published.size());
  for (const Record& one : record.published) published.push_back(one.at_ns);
  std::ranges::sort(published);
  std::size_t handled = 0;
  std::ptrdiff_t greatest = 0;
  for (std::size_t i = 0; i < published.size(); ++i) {
    while (handled < record.handled.size() && record.handled[handled].at_ns <= published[i]) {
      ++handled;
    }
    greatest = std::max(greatest,
                        static_cast<std::ptrdiff_t>(i + 1) - static_cast<std::ptrdiff_t>(handled));
  }
  return static_cast<double>(greatest);
}

bool is_held(const Measurement& measurement, double rate) {
  return measurement.published_per_second.value_or(0) >= kPublishedInFull * rate &&
         measurement.backlog.value_or(0) < rate;
}

std::string mixed_name(const MixedLine& what) {
  return std::string(what.config.name) +
         (what.processes == 1 ? "" : ", " + std::to_string(what.processes) + " processes");
}

Measurement sample(const Settings& settings, const MixedLine& what, Contender contender) {
  return measure_mixed(what, run_mixed(settings, what, contender));
}

}  // namespace

RunRecord run_mixed(const Settings& settings, const MixedLine& what, Contender contender) {
  RunPlan plan = plan_of(settings, contender);
  plan.keys = Keys::two_hundred;
  plan.dispatchers_ahead = kAhead;
  plan.drain = what.drain;
  plan.crew = dispatch_crew(what.config, what.processes, contender);
  plan.crew.push_back({.role = Role::publish,
                       .batch = static_cast<std::size_t>(
                           std::max(1.0, std::ceil(what.rate / what.calls_per_second))),
                       .threads = kPublishers,
                       .rate = what.rate});
  return run(plan);
}

Measurement measure_mixed(const MixedLine& what, const RunRecord& record) {
  const double published = rate_in_window(record, record.published);
  return {.per_second = std::min(published, rate_in_window(record, record.handled)),
          .units = static_cast<double>(record.handled.size()),
          .latency = latency_of(latencies_ms(record)),
          .offered_per_second = what.rate,
          .published_per_second = published,
          .backlog = greatest_backlog(record),
          .cost = record.cost,
          .verdict = record.verdict};
}

/// Doubles or halves the rate until the greatest lies between two, and then the gap.
Measurement greatest_rate(const Settings& settings, MixedLine what, Contender contender) {
  Measurement best;
  double held = 0;
  double missed = 0;
  what.rate = kFirstRate;
  what.drain = std::chrono::milliseconds{0};  // What waits too long has been found out by then.
  for (int i = 0; i < kTries; ++i) {
    Measurement found = sample(settings, what, contender);
    if (!found.verdict.exact()) return found;
    const bool good = is_held(found, what.rate);
    (good ? held : missed) = what.rate;
    if (good || held == 0) best = std::move(found);
    if (held == 0 || missed == 0) {
      what.rate *= good ? 2 : 0.5;
    } else if (missed > kCloseEnough * held) {
      what.rate = (held + missed) / 2;
    } else {
      break;
    }
  }
  best.per_second = held;
  return best;
}

Line mixed_line(const Settings& settings, const MixedLine& what) {
  Line line{.scenario = "mixed",
            .name = std::to_string(std::lround(what.rate)) + "/s, " + mixed_name(what),
            .batch = what.config.batch};
  return measure(settings, std::move(line),
                 chosen(settings, {Contender::penstock, Contender::baseline}),
                 [&](Contender contender) { return sample(settings, what, contender); });
}

Line greatest_rate_line(const Settings& settings, const MixedLine& what) {
  Line line{.scenario = "greatest rate", .name = mixed_name(what), .batch = what.config.batch};
  return measure(settings, std::move(line),
                 chosen(settings, {Contender::penstock, Contender::baseline}),
                 [&](Contender contender) { return greatest_rate(settings, what, contender); });
}

}  // namespace penstock::bench

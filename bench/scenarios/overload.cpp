// More than can be handled, and how long the backlog of it takes to go.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "report/text.hpp"
#include "scenarios/dispatch_crew.hpp"
#include "scenarios/mixed.hpp"
#include "scenarios/pressure.hpp"

namespace penstock::bench {
namespace {

constexpr std::chrono::seconds kDrain{120};
/// Few, so that it is the dispatchers who cannot keep up, and not the publishers.
constexpr double kCallsPerSecond = 100;

/// From the last commit until no more than `waiting` events are published and not handled.
std::optional<double> caught_up_ms(const RunRecord& record, double waiting) {
  const auto left = static_cast<std::size_t>(std::max(0.0, waiting));
  const std::int64_t last_ns = std::ranges::max(record.published, {}, &Record::at_ns).at_ns;
  if (record.published.size() <= left) return 0;
  const std::size_t needed = record.published.size() - left;
  if (record.handled.size() < needed) return {};
  const std::int64_t at_ns = record.handled[needed - 1].at_ns;
  return static_cast<double>(std::max<std::int64_t>(0, at_ns - last_ns)) / 1e6;
}

Measurement sample(const Settings& settings, const OverloadLine& what, double held_rate,
                   Contender contender) {
  if (held_rate <= 0) throw std::runtime_error("overload: no rate was held at all");
  Settings longer = settings;
  longer.window = what.held;
  const MixedLine mixed{.config = what.config,
                        .processes = what.processes,
                        .rate = what.times * held_rate,
                        .calls_per_second = kCallsPerSecond,
                        .drain = kDrain};
  const RunRecord record = run_mixed(longer, mixed, contender);
  Measurement found = measure_mixed(mixed, record);
  found.per_second = rate_in_window(record, record.handled);
  found.rate_before = held_rate;
  found.recovered_ms = caught_up_ms(record, held_rate);
  return found;
}

}  // namespace

Line overload_line(const Settings& settings, const OverloadLine& what) {
  std::map<Contender, double> held;
  Line line{.scenario = kPressure,
            .name = fixed(what.times, 1) + " × the rate held, " +
                    dispatch_name(what.config, what.processes),
            .batch = what.config.batch};
  return measure(settings, std::move(line),
                 chosen(settings, {Contender::penstock, Contender::baseline}),
                 [&](Contender contender) {
                   double& rate = held[contender];
                   if (rate == 0) {
                     const MixedLine mixed{.config = what.config,
                                           .processes = what.processes,
                                           .calls_per_second = kCallsPerSecond};
                     const Measurement found = greatest_rate(settings, mixed, contender);
                     if (!found.verdict.exact()) return found;
                     rate = found.per_second;
                   }
                   return sample(settings, what, rate, contender);
                 });
}

}  // namespace penstock::bench

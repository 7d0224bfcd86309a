// Dispatch while something disturbs it: before, meanwhile, and how long until it is as before.
#include "scenarios/pressure.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "harness/crew.hpp"
#include "scenarios/dispatch_crew.hpp"

namespace penstock::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Dispatchers begin before the window: its beginning shall not be their start.
constexpr milliseconds kAhead{500};
/// Of the window, when the pressure is over.
constexpr milliseconds kAfter{2'000};
constexpr milliseconds kSlice{250};
constexpr double kRecovered = 0.8;
constexpr std::chrono::seconds kDrain{120};
/// A killed worker's lanes wait for so long. Shorter than is usual, so that the drain is.
constexpr milliseconds kLease{5'000};

constexpr std::uint32_t kTrial = 40'000;
constexpr milliseconds kTrialWindow{2'000};
/// More than the trial says, because a run that runs dry early has measured less than it should.
constexpr double kReserve = 1.5;
constexpr std::uint32_t kLeastPreloaded = 20'000;

/// When the pressure begins and ends in a run.
class Course {
 public:
  Course(const Settings& settings, const PressureLine& what, Layout layout)
      : from_(settings.window),
        until_(settings.window + what.held),
        pressure_(what.pressure),
        where_{.layout = layout, .url = settings.url, .restart_command = settings.restart_command} {
  }

  void tick(nanoseconds elapsed, Crew& crew) {
    if (!disturbance_ && begin_ns_ == 0 && elapsed >= from_) {
      begin_ns_ = now_ns();
      disturbance_ = disturb(pressure_, where_, crew);
    } else if (disturbance_ && elapsed >= until_) {
      end();
    } else if (disturbance_) {
      disturbance_->go_on(crew);
    }
  }

  void end() {
    if (!disturbance_) return;
    end_ns_ = now_ns();
    const std::int64_t acted_ns = disturbance_->acted_ns();
    disturbance_.reset();
    over_ns_ = is_lasting(pressure_) ? now_ns() : acted_ns;
  }

  [[nodiscard]] bool took_place() const noexcept { return begin_ns_ != 0; }
  [[nodiscard]] std::int64_t begin_ns() const noexcept { return begin_ns_; }
  [[nodiscard]] std::int64_t end_ns() const noexcept { return end_ns_; }
  /// From when it may recover: the end of what lasts, or the last act.
  [[nodiscard]] std::int64_t over_ns() const noexcept { return over_ns_; }

 private:
  nanoseconds from_;
  nanoseconds until_;
  Pressure pressure_;
  Surroundings where_;
  std::unique_ptr<Disturbance> disturbance_{};
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::int64_t over_ns_ = 0;
};

/// Until the first slice of time in which the rate is back; absent where it never is.
std::optional<double> recovered_ms(const RunRecord& record, const Course& course, double before) {
  const std::int64_t slice_ns = nanoseconds(kSlice).count();
  const std::int64_t last_ns = record.handled.back().at_ns;
  for (std::int64_t from = course.over_ns(); from + slice_ns <= last_ns; from += slice_ns) {
    if (rate_between(record, from, from + slice_ns) < kRecovered * before) continue;
    return static_cast<double>(from - course.over_ns()) / 1e6;
  }
  return {};
}

Measurement sample(const Settings& settings, const PressureLine& what, std::uint32_t preloaded,
                   Contender contender) {
  RunPlan plan = plan_of(settings, contender);
  plan.preloaded = preloaded;
  plan.keys = what.keys;
  plan.window = settings.window + what.held + kAfter;
  plan.dispatchers_ahead = kAhead;
  plan.counts_cost = what.pressure != Pressure::server_restart;
  plan.crew = dispatch_crew(what.config, what.processes, contender);
  if (causes_repeats(what.pressure)) {
    plan.repeats = Repeats::allowed;
    plan.drain = kDrain;
    for (WorkOrder& order : plan.crew) order.lease_ms = kLease.count();
  }
  Course course(settings, what, plan.layout);
  plan.tick = [&](nanoseconds elapsed, Crew& crew) { course.tick(elapsed, crew); };
  plan.after_window = [&] { course.end(); };
  const RunRecord record = run(plan);
  if (!course.took_place()) {
    throw std::runtime_error("all was handled before the pressure began; preload more");
  }
  const std::int64_t end_ns = std::min(course.end_ns(), record.handled.back().at_ns);
  const double before = rate_between(record, record.begin_ns, course.begin_ns());
  return {.per_second = rate_between(record, course.begin_ns(), end_ns),
          .units = static_cast<double>(record.handled.size()),
          .rate_before = before,
          .recovered_ms = recovered_ms(record, course, before),
          .cost = record.cost,
          .verdict = record.verdict};
}

/// As much as the contender handles in a run, by a short one without pressure.
std::uint32_t enough_for(const Settings& settings, const PressureLine& what, Contender contender) {
  RunPlan plan = plan_of(settings, contender);
  plan.preloaded = kTrial;
  plan.keys = what.keys;
  plan.window = kTrialWindow;
  plan.dispatchers_ahead = kAhead;
  plan.crew = dispatch_crew(what.config, what.processes, contender);
  const RunRecord record = run(plan);
  const auto seconds = std::chrono::duration<double>(settings.window + what.held + kAfter + kAhead);
  const double rate = rate_in_window(record, record.handled);
  return std::max(kLeastPreloaded,
                  static_cast<std::uint32_t>(std::lround(kReserve * rate * seconds.count())));
}

Line measure_pressure(const Settings& settings, const PressureLine& what, Line line) {
  std::map<Contender, std::uint32_t> enough;
  return measure(settings, std::move(line),
                 chosen(settings, {Contender::penstock, Contender::baseline}),
                 [&](Contender contender) {
                   if (what.preloaded > 0) return sample(settings, what, what.preloaded, contender);
                   std::uint32_t& preloaded = enough[contender];
                   if (preloaded == 0) preloaded = enough_for(settings, what, contender);
                   return sample(settings, what, preloaded, contender);
                 });
}

}  // namespace

Line pressure_line(const Settings& settings, const PressureLine& what) {
  return measure_pressure(settings, what,
                          {.scenario = kPressure,
                           .name = std::string(to_string(what.pressure)) + ", " +
                                   dispatch_name(what.config, what.processes),
                           .batch = what.config.batch});
}

Line held_transaction_line(const Settings& settings, PressureLine what) {
  what.pressure = Pressure::held_transaction;
  return measure_pressure(settings, what,
                          {.scenario = kHeldTransaction,
                           .name = dispatch_name(what.config, what.processes),
                           .batch = what.config.batch});
}

}  // namespace penstock::bench

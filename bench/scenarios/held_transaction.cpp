// Dispatch while a transaction is held open.
#include <algorithm>
#include <memory>
#include <stdexcept>

#ifdef PENSTOCK_BENCH_POSTGRES
#include "harness/session.hpp"
#endif
#include "scenarios/dispatch_crew.hpp"
#include "scenarios/scenarios.hpp"

namespace penstock::bench {
namespace {

#ifdef PENSTOCK_BENCH_POSTGRES
/// Open until it is destroyed.
class HeldTransaction {
 public:
  explicit HeldTransaction(const std::string& url) : session_(url) {
    session_.ask("begin");
    // An xid, and a snapshot that stays: both keep vacuum from what dies from now on.
    session_.ask("set transaction isolation level repeatable read");
    session_.ask("select pg_current_xact_id()");
  }

 private:
  Session session_;
};
#endif

/// Per second, of those handled between two times.
double rate_between(const RunRecord& record, std::int64_t from_ns, std::int64_t to_ns) {
  const auto count = std::ranges::count_if(
      record.handled, [&](const Record& one) { return one.at_ns >= from_ns && one.at_ns < to_ns; });
  return to_ns > from_ns ? static_cast<double>(count) * 1e9 / static_cast<double>(to_ns - from_ns)
                         : 0;
}

#ifdef PENSTOCK_BENCH_POSTGRES
Measurement sample(const Settings& settings, const HeldLine& what, Contender contender) {
  RunPlan plan{.layout = layout_of(contender),
               .url = settings.url,
               .preloaded = what.preloaded,
               .window = settings.window + what.held};
  plan.crew = dispatch_crew(what.config, what.processes, contender);
  std::unique_ptr<HeldTransaction> held;
  std::int64_t held_from_ns = 0;
  plan.tick = [&](std::chrono::nanoseconds elapsed) {
    if (held || elapsed < settings.window) return;
    held = std::make_unique<HeldTransaction>(settings.url);
    held_from_ns = now_ns();
  };
  plan.after_window = [&] { held.reset(); };
  const RunRecord record = run(plan);
  if (held_from_ns == 0) {
    throw std::runtime_error("held transaction: all was handled before it began; preload more");
  }
  const std::int64_t end_ns =
      std::min(record.begin_ns + record.window_ns, record.handled.back().at_ns);
  return {.per_second = rate_between(record, held_from_ns, end_ns),
          .units = static_cast<double>(record.handled.size()),
          .rate_before = rate_between(record, record.begin_ns, held_from_ns),
          .cost = record.cost,
          .verdict = record.verdict};
}
#else
Measurement sample(const Settings&, const HeldLine&, Contender) {
  throw std::runtime_error("built without PostgreSQL");
}
#endif

}  // namespace

Line held_transaction_line(const Settings& settings, const HeldLine& what) {
  Line line{.scenario = "held transaction",
            .name = dispatch_name(what.config, what.processes),
            .batch = what.config.batch};
  return measure(settings, std::move(line),
                 chosen(settings, {Contender::penstock, Contender::baseline}),
                 [&](Contender contender) { return sample(settings, what, contender); });
}

}  // namespace penstock::bench

// Dispatch of what was preloaded, keyed or not.
#include <stdexcept>

#include "peers/graphile/graphile.hpp"
#include "scenarios/baseline_band.hpp"
#include "scenarios/dispatch_crew.hpp"
#include "scenarios/scenarios.hpp"

namespace penstock::bench {
namespace {

Measurement sample(const Settings& settings, const DispatchLine& what, Contender contender) {
  RunPlan plan = plan_of(settings, contender);
  plan.preloaded = what.preloaded;
  plan.keys = what.keys;
  plan.crew = dispatch_crew(what.config, what.processes, contender);
  const RunRecord record = run(plan);
  Measurement found{.per_second = rate_in_window(record, record.handled),
                    .units = static_cast<double>(record.handled.size()),
                    .cost = record.cost,
                    .verdict = record.verdict};
  // With keys a claim finds fewer deliveries than it has room for, and so takes more statements.
  if (contender == Contender::baseline && what.keys == Keys::none && found.verdict.exact()) {
    found.verdict.failure = baseline_problem(found);
  }
  return found;
}

/// Peers have no keys of our kind. PgQ gives a batch to one consumer, so that its second process
/// would only stand by.
std::vector<Contender> who_dispatches(const DispatchLine& what) {
  std::vector<Contender> all{Contender::penstock, Contender::baseline, Contender::floor};
  if (what.keys != Keys::none) return all;
  if (what.processes == 1) all.push_back(Contender::pgq);
  all.push_back(Contender::graphile);
  return all;
}

}  // namespace

const DispatchConfig& dispatch_config(std::string_view name) {
  for (const DispatchConfig& config : kDispatchConfigs) {
    if (config.name == name) return config;
  }
  throw std::runtime_error("there is no configuration " + std::string(name));
}

std::vector<WorkOrder> dispatch_crew(const DispatchConfig& config, std::size_t processes,
                                     Contender contender) {
  if (contender == Contender::graphile) {
    constexpr GraphileConfig kTheirs;
    return {processes, WorkOrder{.pool_size = kTheirs.connections,
                                 .batch = kTheirs.local_queue,
                                 .concurrency = kTheirs.concurrency,
                                 .poll_ms = kTheirs.poll_ms}};
  }
  const Role role = contender == Contender::floor ? Role::floor_dispatch : Role::dispatch;
  return {processes, WorkOrder{.role = role,
                               .pool_size = config.pool_size,
                               .batch = config.batch,
                               .concurrency = config.concurrency,
                               .poll_ms = config.poll_ms}};
}

std::string dispatch_name(const DispatchConfig& config, std::size_t processes) {
  return std::to_string(processes) + (processes == 1 ? " process, " : " processes, ") +
         std::string(config.name);
}

Line dispatch_line(const Settings& settings, const DispatchLine& what) {
  Line line{.scenario = "dispatch",
            .name = dispatch_name(what.config, what.processes),
            .batch = what.config.batch};
  return measure(settings, std::move(line), chosen(settings, who_dispatches(what)),
                 [&](Contender contender) { return sample(settings, what, contender); });
}

Line hot_key_line(const Settings& settings, const DispatchLine& what) {
  DispatchLine hot = what;
  hot.keys = Keys::one;
  Line line{.scenario = "hot key",
            .name = dispatch_name(what.config, what.processes),
            .batch = what.config.batch};
  return measure(settings, std::move(line),
                 chosen(settings, {Contender::penstock, Contender::baseline}),
                 [&](Contender contender) { return sample(settings, hot, contender); });
}

}  // namespace penstock::bench

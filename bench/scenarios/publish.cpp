// Publishing only.
#include "scenarios/scenarios.hpp"

namespace penstock::bench {
namespace {

Measurement sample(const Settings& settings, const PublishConfig& config, Contender contender) {
  const Role role = contender == Contender::floor ? Role::floor_publish : Role::publish;
  RunPlan plan = plan_of(settings, contender);
  plan.crew.assign(config.processes, WorkOrder{.role = role,
                                               .pool_size = config.pool_size,
                                               .batch = config.batch,
                                               .threads = config.threads});
  const RunRecord record = run(plan);

  std::vector<double> calls_ms;
  for (std::size_t i = 0; i < record.published.size(); i += config.batch) {
    calls_ms.push_back(static_cast<double>(record.published[i].took_ns) / 1e6);
  }
  return {.per_second = rate_in_window(record, record.published),
          .units = static_cast<double>(record.published.size()),
          .latency = latency_of(std::move(calls_ms)),
          .cost = record.cost,
          .verdict = record.verdict};
}

}  // namespace

Line publish_line(const Settings& settings, const PublishConfig& config) {
  Line line{.scenario = "publish", .name = std::string(config.name), .batch = config.batch};
  return measure(settings, std::move(line),
                 chosen(settings, {Contender::penstock, Contender::baseline, Contender::floor,
                                   Contender::pgq, Contender::graphile}),
                 [&](Contender contender) { return sample(settings, config, contender); });
}

}  // namespace penstock::bench

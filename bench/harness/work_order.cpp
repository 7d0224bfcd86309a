// Work orders are JSON: a person who looks into a run's folder can read them.
#include "harness/work_order.hpp"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace penstock::bench {

NLOHMANN_JSON_SERIALIZE_ENUM(Role, {{Role::publish, "publish"},
                                    {Role::dispatch, "dispatch"},
                                    {Role::floor_publish, "floor_publish"},
                                    {Role::floor_dispatch, "floor_dispatch"},
                                    {Role::prepare, "prepare"},
                                    {Role::count_left, "count_left"},
                                    {Role::remove, "remove"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Layout, {{Layout::penstock, "penstock"},
                                      {Layout::baseline, "baseline"},
                                      {Layout::pgq, "pgq"},
                                      {Layout::graphile, "graphile"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Keys, {{Keys::none, "none"},
                                    {Keys::two_hundred, "two_hundred"},
                                    {Keys::one, "one"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Defect, {{Defect::none, "none"},
                                      {Defect::skip_one, "skip_one"},
                                      {Defect::twice, "twice"},
                                      {Defect::swap_two, "swap_two"}})
// With defaults, so that an order from another build is understood.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WorkOrder, role, layout, program, keys, url,
                                                journal, pool_size, batch, concurrency, poll_ms,
                                                lease_ms, defect, threads, first_thread, rate,
                                                window_ms, preloaded)

void write_order(const WorkOrder& order, const std::filesystem::path& path) {
  std::ofstream file(path);
  file << nlohmann::json(order).dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

WorkOrder read_order(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return nlohmann::json::parse(file).get<WorkOrder>();
}

Defect defect_of_environment() {
  const char* const name = std::getenv(  // NOLINT(concurrency-mt-unsafe): nothing here sets it.
      "PENSTOCK_BENCH_DEFECT");
  if (name == nullptr || *name == '\0') return Defect::none;
  const auto defect = nlohmann::json(name).get<Defect>();
  // An unknown name becomes the first of the list.
  if (defect == Defect::none) throw std::runtime_error(std::string("no such defect: ") + name);
  return defect;
}

}  // namespace penstock::bench

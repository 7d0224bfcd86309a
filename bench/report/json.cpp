// See json.hpp.
#include "report/json.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <penstock/version.hpp>
#include <stdexcept>
#include <thread>

#include "throughput/workload.hpp"

namespace penstock::bench {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& object, const char* name, const std::optional<double>& value) {
  if (value) object[name] = *value;
}

void put(Json& object, const char* name, const std::optional<TupleCounters>& value) {
  if (!value) return;
  object[name] = {{"inserted", value->inserted},
                  {"updated", value->updated},
                  {"heap_only", value->heap_only},
                  {"deleted", value->deleted}};
}

Json json_of(const Measurement& one) {
  Json json{{"verdict", one.verdict.to_string()}};
  if (!one.verdict.exact()) return json;
  json["per_second"] = one.per_second;
  json["units"] = one.units;
  if (one.latency) {
    json["latency_ms"] = {
        {"p50", one.latency->p50_ms}, {"p95", one.latency->p95_ms}, {"p99", one.latency->p99_ms}};
  }
  put(json, "offered_per_second", one.offered_per_second);
  put(json, "published_per_second", one.published_per_second);
  put(json, "backlog", one.backlog);
  put(json, "per_second_before", one.rate_before);
  put(json, "recovered_ms", one.recovered_ms);
  if (one.verdict.repeats == Repeats::allowed) json["repeated"] = one.verdict.handled.duplicates;
  Json cost = Json::object();
  put(cost, "wal_bytes", one.cost.wal_bytes);
  put(cost, "full_page_image_bytes", one.cost.image_bytes);
  put(cost, "statements", one.cost.statements);
  put(cost, "commits", one.cost.commits);
  put(cost, "deliveries", one.cost.deliveries);
  put(cost, "lanes", one.cost.lanes);
  put(cost, "dead_tuples", one.cost.dead_tuples);
  json["cost"] = std::move(cost);
  return json;
}

Json json_of(const Survey& peers) {
  Json json = Json::array();
  for (const PresentPeer& one : peers.present) {
    json.push_back({{"peer", to_string(one.peer)},
                    {"name", one.name},
                    {"version", one.version},
                    {"payload", one.payload},
                    {"publish", one.publish},
                    {"batch", one.batch},
                    {"acknowledged", one.acknowledged}});
  }
  for (const AbsentPeer& one : peers.absent) {
    json.push_back({{"peer", to_string(one.peer)}, {"absent", one.why}});
  }
  return json;
}

}  // namespace

void write_json(const std::filesystem::path& path, const std::vector<Line>& lines,
                const std::vector<TargetRow>& targets, const Survey& peers) {
  Json json{{"penstock", kVersion},
            {"processors", std::thread::hardware_concurrency()},
            {"payload_bytes", kPayloadBytes},
            {"lines", Json::array()},
            {"targets", Json::array()}};
  if (!peers.present.empty() || !peers.absent.empty()) json["peers"] = json_of(peers);
  for (const Line& line : lines) {
    Json one{{"scenario", line.scenario},
             {"name", line.name},
             {"batch", line.batch},
             {"window_ms", line.window.count()}};
    for (const auto& [contender, samples] : line.samples) {
      for (const Measurement& sample : samples) {
        one["samples"][std::string(to_string(contender))].push_back(json_of(sample));
      }
    }
    json["lines"].push_back(std::move(one));
  }
  for (const TargetRow& row : targets) {
    Json one{{"row", row.row}, {"target", row.target}, {"measured", row.measured}};
    if (row.met) one["met"] = *row.met;
    json["targets"].push_back(std::move(one));
  }
  std::ofstream file(path);
  file << json.dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace penstock::bench

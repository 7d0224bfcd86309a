// `penstock lanes`: who holds which lane, and what is in flight there.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/commands.hpp"
#include "output/table.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

std::string state_of(const LaneInfo& lane, Timestamp now) {
  if (!lane.owner) return "free";
  if (!lane.expires_at) return "held";
  return *lane.expires_at <= now ? "expired" : "held";
}

}  // namespace

ExitCode run_lanes(const Settings& settings, const LanesOptions& options) {
  const auto store = open(settings);
  const Statistics statistics = Admin{store->bus()}.statistics();
  Json items = Json::array();
  Table table{{{"lane", Table::Align::right},
               {"epoch", Table::Align::right},
               {"state"},
               {"until"},
               {"owner"},
               {"in flight"}}};
  for (const LaneInfo& lane : statistics.lanes) {
    if (!lane.owner && options.which == LanesOptions::Which::held) continue;
    Json in_flight = Json::array();
    std::vector<std::string> ids;
    for (const DeliveryId id : lane.in_flight) {
      ids.push_back(std::to_string(id.value));
      in_flight.push(ids.back());
    }
    const std::string state = state_of(lane, statistics.at);
    items.push(Json::object()
                   .set("lane", lane.lane.value)
                   .set("epoch", lane.epoch.value)
                   .set("state", state)
                   .set("owner", lane.owner)
                   .set("expires_at", lane.expires_at ? Json(iso_time(*lane.expires_at)) : Json{})
                   .set("in_flight", in_flight));
    table.add({std::to_string(lane.lane.value), std::to_string(lane.epoch.value), state,
               lane.expires_at ? iso_time(*lane.expires_at).substr(11, 12) : "-",
               lane.owner.value_or("-"), shortened(fmt::format("{}", fmt::join(ids, " ")), 60)});
  }
  if (settings.json()) {
    print(Json::object().set("items", items).set("next", Json{}));
  } else {
    print_text(table.empty() ? "No lane is held: no worker runs anything.\n" : table.text());
  }
  return ExitCode::done;
}

}  // namespace penstock::cli

// `penstock stats`: how much waits, runs and is dead, handler by handler.
#include <fmt/format.h>

#include <algorithm>

#include "commands/commands.hpp"
#include "output/table.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

/// Empty where they are not kept; of version 0.1.0 there may be some all the same.
std::optional<std::int64_t> completed_of(const HandlerStatistics& one, bool keeps) {
  return keeps || one.completed > 0 ? std::optional{one.completed} : std::nullopt;
}

Json json_of(const HandlerStatistics& one, bool keeps) {
  Json json = Json::object();
  json.set("pending", one.pending).set("due", one.due).set("in_flight", one.in_flight);
  json.set("dead", one.dead).set("completed", completed_of(one, keeps));
  json.set("oldest_due_ms",
           one.oldest_due
               ? Json(std::chrono::floor<std::chrono::milliseconds>(*one.oldest_due).count())
               : Json{});
  return json;
}

Json json_of(const Statistics& statistics, bool keeps) {
  Json handlers = Json::object();
  for (const auto& [name, one] : statistics.handlers) handlers.set(name, json_of(one, keeps));
  return Json::object()
      .set("at", iso_time(statistics.at))
      .set("events", statistics.events)
      .set("handlers", handlers)
      .set("lanes_held",
           std::ranges::count_if(statistics.lanes,
                                 [](const LaneInfo& l) { return l.owner.has_value(); }))
      .set("takeovers", statistics.takeovers);
}

}  // namespace

ExitCode run_stats(const Settings& settings) {
  const auto store = open(settings);
  const Statistics statistics = Admin{store->bus()}.statistics();
  const bool keeps = store->bus().capabilities().completion_history;
  if (settings.json()) {
    print(json_of(statistics, keeps));
    return ExitCode::done;
  }
  Table table{{{"handler"},
               {"pending", Table::Align::right},
               {"due", Table::Align::right},
               {"in flight", Table::Align::right},
               {"dead", Table::Align::right},
               {"completed", Table::Align::right},
               {"oldest due", Table::Align::right}}};
  for (const auto& [name, one] : statistics.handlers) {
    const auto completed = completed_of(one, keeps);
    table.add({name, std::to_string(one.pending), std::to_string(one.due),
               std::to_string(one.in_flight), std::to_string(one.dead),
               completed ? std::to_string(*completed) : "-",
               one.oldest_due ? short_duration(*one.oldest_due) : "-"});
  }
  print_text(fmt::format("{}, {}\n\n", counted(statistics.events, "event", "events"),
                         counted(statistics.takeovers, "takeover", "takeovers")));
  print_text(table.empty() ? "No handler is subscribed and no delivery is kept.\n" : table.text());
  return ExitCode::done;
}

}  // namespace penstock::cli

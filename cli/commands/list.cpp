// `penstock list`: one page of deliveries. The cursor is an id, so no row is skipped or repeated.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "commands/how_to_keep.hpp"
#include "commands/known_handlers.hpp"
#include "output/delivery_json.hpp"
#include "output/table.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{text};
}

ListQuery query_of(const ListOptions& options) {
  ListQuery query{.handler = given(options.handler),
                  .type = given(options.type),
                  .key = given(options.key),
                  .after = DeliveryId{options.after},
                  .limit = options.limit};
  if (!options.status.empty()) {
    query.status = parse_delivery_status(options.status);
    if (!query.status) {
      throw Error(ErrorKind::usage,
                  "status: expected pending, in_flight, dead or completed, found \"" +
                      options.status + "\"",
                  {.field = "status"});
    }
  }
  if (!options.event.empty()) {
    query.event_id = EventId::parse(options.event);
    if (!query.event_id) {
      throw Error(ErrorKind::usage, "event: expected a UUID, found \"" + options.event + "\"",
                  {.field = "event"});
    }
  }
  return query;
}

void print_table(const DeliveryPage& page) {
  Table table{{{"id", Table::Align::right},
               {"handler"},
               {"type"},
               {"key"},
               {"status"},
               {"attempts", Table::Align::right},
               {"due"},
               {"last error"}}};
  for (const DeliveryInfo& delivery : page.items) {
    table.add({std::to_string(delivery.id.value), shortened(delivery.handler, 24),
               shortened(delivery.type, 32), shortened(delivery.key.value_or("-"), 32),
               std::string{to_string(delivery.status)} + (delivery.suspect ? ", suspect" : ""),
               std::to_string(delivery.attempts), iso_time(delivery.available_at).substr(0, 19),
               shortened(delivery.last_error, 48)});
  }
  print_text(table.text());
}

}  // namespace

ExitCode run_list(const Settings& settings, const ListOptions& options) {
  const ListQuery query = query_of(options);
  const auto store = open(settings);
  const DeliveryPage page = Admin{store->bus()}.list(query);
  if (page.items.empty() && query.handler) {
    // An empty list is an answer all the same.
    if (const auto unknown = unknown_handler(store->bus(), *query.handler)) {
      warn(*unknown, settings.format);
    }
  }
  if (settings.json()) {
    Json items = Json::array();
    for (const DeliveryInfo& delivery : page.items) items.push(json_of(delivery));
    print(Json::object()
              .set("items", items)
              .set("next", page.next ? Json(std::to_string(page.next->value)) : Json{}));
    return ExitCode::done;
  }
  if (page.items.empty()) {
    const bool asks_for_unkept = query.status == DeliveryStatus::completed &&
                                 !store->bus().capabilities().completion_history;
    print_text(asks_for_unkept
                   ? fmt::format("Completed deliveries are not kept: {}.\n", how_to_keep(settings))
                   : std::string{"No delivery matches.\n"});
    return ExitCode::done;
  }
  print_table(page);
  if (page.next) print_text(fmt::format("More: --after {}\n", page.next->value));
  return ExitCode::done;
}

}  // namespace penstock::cli

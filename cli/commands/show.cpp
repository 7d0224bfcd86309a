// `penstock show ID`: one delivery, or those of one event, and why each is not running.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "input/reference.hpp"
#include "output/delivery_json.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

Json explanation_json(const Explanation& explanation) {
  Json json = json_of(explanation.delivery);
  json.set("standing", to_string(explanation.standing));
  json.set("blocked_by",
           explanation.blocked_by ? Json(std::to_string(explanation.blocked_by->value)) : Json{});
  return json.set("why", explanation.sentence);
}

std::string text_of(const Explanation& explanation) {
  const DeliveryInfo& delivery = explanation.delivery;
  std::string text;
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("{:<13}{}\n", name, printable(value));
  };
  line("delivery", std::to_string(delivery.id.value));
  line("event", delivery.event_id.to_string());
  line("handler", delivery.handler);
  line("type", delivery.type);
  line("key", delivery.key
                  ? fmt::format("{} (number {})", *delivery.key, delivery.sequence.value_or(0))
                  : "-");
  line("lane", std::to_string(delivery.lane.value));
  line("status", std::string{to_string(delivery.status)} +
                     (delivery.suspect ? ", suspect: it runs alone next" : ""));
  line("why", explanation.sentence);
  line("attempts", std::to_string(delivery.attempts));
  line("due", iso_time(delivery.available_at));
  line("created", iso_time(delivery.created_at));
  line("updated", iso_time(delivery.updated_at));
  if (delivery.lease_owner) line("worker", *delivery.lease_owner);
  if (delivery.lease_expires_at) line("lease until", iso_time(*delivery.lease_expires_at));
  if (!delivery.last_error.empty()) line("last error", delivery.last_error);
  return text;
}

ExitCode show_delivery(const Settings& settings, DeliveryId id) {
  const auto store = open(settings);
  const auto explanation = Admin{store->bus()}.show(id);
  if (!explanation) {
    return report_not_found(
        fmt::format("delivery {} is not kept: it was completed and the store has no completion "
                    "history, or it never existed",
                    id.value),
        settings.format);
  }
  if (settings.json()) {
    print(explanation_json(*explanation));
  } else {
    print_text(text_of(*explanation));
  }
  return ExitCode::done;
}

ExitCode show_event(const Settings& settings, const EventId& id) {
  const auto store = open(settings);
  const auto explanations = Admin{store->bus()}.show(id);
  if (explanations.empty()) {
    return report_not_found(
        fmt::format("no delivery of event {} is kept: all were completed and the store has no "
                    "completion history, or no handler wanted it, or it was never published",
                    id.to_string()),
        settings.format);
  }
  Json items = Json::array();
  std::string text;
  for (const Explanation& explanation : explanations) {
    items.push(explanation_json(explanation));
    text += (text.empty() ? "" : "\n") + text_of(explanation);
  }
  if (settings.json()) {
    print(Json::object().set("items", items).set("next", Json{}));
  } else {
    print_text(text);
  }
  return ExitCode::done;
}

}  // namespace

ExitCode run_show(const Settings& settings, const ShowOptions& options) {
  const Reference reference = parse_reference(options.id);
  if (const auto* event = std::get_if<EventId>(&reference)) return show_event(settings, *event);
  return show_delivery(settings, std::get<DeliveryId>(reference));
}

}  // namespace penstock::cli

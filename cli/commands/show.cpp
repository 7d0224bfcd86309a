// `penstock show ID`: one delivery, or those of one event, and why each is not running.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "commands/how_to_keep.hpp"
#include "input/base64.hpp"
#include "input/reference.hpp"
#include "output/delivery_json.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

using Payload = ShowOptions::Payload;

void set_event(Json& json, const Event* event, Payload payload) {
  if (event == nullptr) {  // Its retention is over.
    json.set("content_type", Json{}).set("headers", Json{});
    return;
  }
  Json headers = Json::object();
  for (const auto& [name, value] : event->headers) headers.set(name, value);
  json.set("content_type", event->content_type).set("headers", headers);
  if (payload == Payload::hide) return;
  if (is_utf8(event->payload)) {
    json.set("payload", event->payload);
  } else {
    json.set("payload_base64", encode_base64(event->payload));
  }
}

/// As it is, because it may have lines; bytes that are no text in base64.
std::string payload_text(const Event* event) {
  if (event == nullptr) return "payload      not kept\n";
  if (is_utf8(event->payload)) return fmt::format("payload\n{}\n", event->payload);
  return fmt::format("payload in base64\n{}\n", encode_base64(event->payload));
}

Json explanation_json(const Explanation& explanation, Payload payload) {
  Json json = json_of(explanation.delivery);
  json.set("standing", to_string(explanation.standing));
  json.set("blocked_by",
           explanation.blocked_by ? Json(std::to_string(explanation.blocked_by->value)) : Json{});
  json.set("why", explanation.sentence);
  set_event(json, explanation.delivery.event.get(), payload);
  return json;
}

std::string text_of(const Explanation& explanation, Payload payload) {
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
  if (payload == Payload::show) text += payload_text(delivery.event.get());
  return text;
}

ExitCode show_delivery(const Settings& settings, DeliveryId id, Payload payload) {
  const auto store = open(settings);
  const auto explanation = Admin{store->bus()}.show(id);
  if (!explanation) {
    return report_not_found(
        fmt::format("delivery {} is not kept: {}", id.value,
                    store->bus().capabilities().completion_history
                        ? "it was completed before there was a history, its retention is "
                          "over, or it never existed"
                        : "it was completed and the store has no completion history, or it never "
                          "existed; " +
                              how_to_keep(settings)),
        settings.format);
  }
  if (settings.json()) {
    print(explanation_json(*explanation, payload));
  } else {
    print_text(text_of(*explanation, payload));
  }
  return ExitCode::done;
}

ExitCode show_event(const Settings& settings, const EventId& id, Payload payload) {
  const auto store = open(settings);
  const auto explanations = Admin{store->bus()}.show(id);
  if (explanations.empty()) {
    return report_not_found(
        fmt::format("no delivery of event {} is kept: {}", id.to_string(),
                    store->bus().capabilities().completion_history
                        ? "all were completed before there was a history, or their retention "
                          "is over, or no handler wanted it, or it was never published"
                        : "all were completed and the store has no completion history, or no "
                          "handler wanted it, or it was never published; " +
                              how_to_keep(settings)),
        settings.format);
  }
  Json items = Json::array();
  std::string text;
  for (const Explanation& explanation : explanations) {
    items.push(explanation_json(explanation, payload));
    text += (text.empty() ? "" : "\n") + text_of(explanation, payload);
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
  if (const auto* event = std::get_if<EventId>(&reference))
    return show_event(settings, *event, options.payload);
  return show_delivery(settings, std::get<DeliveryId>(reference), options.payload);
}

}  // namespace penstock::cli

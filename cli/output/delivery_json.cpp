// Ids are strings in JSON, because many programs read numbers as doubles.
#include "output/delivery_json.hpp"

#include "output/text.hpp"

namespace penstock::cli {

Json json_of(const DeliveryInfo& delivery) {
  Json json = Json::object();
  json.set("id", std::to_string(delivery.id.value));
  json.set("event_id", delivery.event_id.to_string());
  json.set("handler", delivery.handler).set("type", delivery.type).set("key", delivery.key);
  json.set("sequence", delivery.sequence).set("lane", delivery.lane.value);
  json.set("status", to_string(delivery.status)).set("attempts", delivery.attempts);
  json.set("suspect", delivery.suspect).set("available_at", iso_time(delivery.available_at));
  json.set("created_at", iso_time(delivery.created_at));
  json.set("updated_at", iso_time(delivery.updated_at));
  json.set("last_error", delivery.last_error.empty() ? Json{} : Json(delivery.last_error));
  json.set("lease_owner", delivery.lease_owner);
  json.set("lease_expires_at",
           delivery.lease_expires_at ? Json(iso_time(*delivery.lease_expires_at)) : Json{});
  return json;
}

}  // namespace penstock::cli

// Tokens and other small values as text.
#include "work/token.hpp"

#include "penstock/bus_store.hpp"
#include "penstock/error.hpp"

namespace penstock {

std::string to_string(const Token& token) {
  return std::to_string(token.fence[0]) + ":" + std::to_string(token.fence[1]) + ":" +
         std::to_string(token.fence[2]);
}

std::string_view to_string(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::unavailable: return "unavailable";
    case ErrorKind::conflict: return "conflict";
    case ErrorKind::in_doubt: return "in_doubt";
    case ErrorKind::schema: return "schema";
    case ErrorKind::usage: return "usage";
    case ErrorKind::internal: return "internal";
  }
  return "internal";
}

std::string_view to_string(DeliveryStatus status) noexcept {
  switch (status) {
    case DeliveryStatus::pending: return "pending";
    case DeliveryStatus::in_flight: return "in_flight";
    case DeliveryStatus::dead: return "dead";
    case DeliveryStatus::completed: return "completed";
  }
  return "pending";
}

std::optional<DeliveryStatus> parse_delivery_status(std::string_view text) noexcept {
  for (const auto status : {DeliveryStatus::pending, DeliveryStatus::in_flight,
                            DeliveryStatus::dead, DeliveryStatus::completed}) {
    if (text == to_string(status)) return status;
  }
  return std::nullopt;
}

}  // namespace penstock

// Most events have none, so that case is short.
#include "store/postgres/bus/headers.hpp"

#include <nlohmann/json.hpp>

#include "penstock/error.hpp"

namespace penstock::postgres::detail {

std::string headers_to_json(const Headers& headers) {
  return headers.empty() ? "{}" : nlohmann::json(headers).dump();
}

Headers headers_from_json(std::string_view json) {
  if (json == "{}") return {};
  try {
    return nlohmann::json::parse(json).get<Headers>();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::internal, "the stored headers of an event are not a flat JSON object");
  }
}

}  // namespace penstock::postgres::detail

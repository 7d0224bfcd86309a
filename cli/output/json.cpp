// The only place that escapes JSON. Invalid UTF-8 is replaced: an output that no program can read
// is worse than a replaced byte.
#include "output/json.hpp"

#include <nlohmann/json.hpp>

namespace penstock::cli {

Json::Json(double value) : text_(nlohmann::json(value).dump()) {}

Json::Json(std::string_view value)
    : text_(nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {}

Json Json::object() {
  Json json;
  json.text_ = "{}";
  return json;
}

Json Json::array() {
  Json json;
  json.text_ = "[]";
  return json;
}

void Json::separate() {
  const bool is_empty = text_.size() == 2;
  text_.pop_back();
  if (!is_empty) text_ += ',';
}

Json& Json::set(std::string_view name, const Json& value) {
  separate();
  text_ += Json(name).text_ + ':' + value.text_ + '}';
  return *this;
}

Json& Json::push(const Json& value) {
  separate();
  text_ += value.text_ + ']';
  return *this;
}

}  // namespace penstock::cli

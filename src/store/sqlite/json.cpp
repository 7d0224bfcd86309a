// Writing is done by hand, because it is hot and simple; reading by a library.
#include "store/sqlite/json.hpp"

#include <nlohmann/json.hpp>

#include "penstock/error.hpp"

namespace penstock::sqlite::detail {

void append_json(std::string& json, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  json += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      json += "\\u00";
      json += kHex[byte >> 4];
      json += kHex[byte & 0x0F];
    } else {
      json += c;
    }
  }
  json += '"';
}

std::string json_of(std::span<const std::int64_t> numbers) {
  return json_array(numbers,
                    [](std::string& json, std::int64_t number) { json += std::to_string(number); });
}

std::string json_of(std::span<const std::string> texts) {
  return json_array(texts,
                    [](std::string& json, const std::string& text) { append_json(json, text); });
}

std::string headers_to_json(const Headers& headers) {
  std::string json = "{";
  for (const auto& [name, value] : headers) {
    if (json.size() > 1) json += ',';
    append_json(json, name);
    json += ':';
    append_json(json, value);
  }
  json += '}';
  return json;
}

Headers headers_from_json(std::string_view json) {
  if (json == "{}") return {};
  try {
    return nlohmann::json::parse(json).get<Headers>();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::internal, "the stored headers of an event are not a flat JSON object");
  }
}

}  // namespace penstock::sqlite::detail

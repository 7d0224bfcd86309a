// JSON texts hold neither NUL nor what is no UTF-8. Each byte that is not ASCII, and NUL, becomes
// the character 256 above it.
#include "stored_payload.hpp"

#include <nlohmann/json.hpp>

#include "penstock/error.hpp"
#include "store/postgres/bus/headers.hpp"

namespace penstock::bench {
namespace {

constexpr char kPayloadHeader[] = "penstock-bench-payload";
constexpr char kContentTypeHeader[] = "penstock-bench-content-type";
constexpr char kJson[] = "application/json";

bool is_plain(unsigned char byte) { return byte != 0 && byte < 0x80; }

// U+0100 to U+01FF are two bytes of UTF-8: 110001xx 10xxxxxx to 110111xx 10xxxxxx.
std::string text_of(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    if (is_plain(value)) {
      text += byte;
    } else {
      text += static_cast<char>(0xC4U | (value >> 6U));
      text += static_cast<char>(0x80U | (value & 0x3FU));
    }
  }
  return text;
}

std::string bytes_of(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto value = static_cast<unsigned char>(text[i]);
    if (is_plain(value) || i + 1 == text.size()) {
      bytes += text[i];
    } else {
      const auto low = static_cast<unsigned char>(text[++i]);
      bytes += static_cast<char>(((value & 0x03U) << 6U) | (low & 0x3FU));
    }
  }
  return bytes;
}

}  // namespace

StoredEvent stored(const Event& event) {
  Headers headers = event.headers;
  StoredEvent made;
  if (nlohmann::json::accept(event.payload)) {
    made.payload = event.payload;
  } else {
    made.payload = nlohmann::json(text_of(event.payload)).dump();
    headers[kPayloadHeader] = "bytes";
  }
  if (event.content_type != kJson) headers[kContentTypeHeader] = event.content_type;
  made.headers = postgres::detail::headers_to_json(headers);
  return made;
}

void restore(Event& event, std::string_view payload, std::string_view headers) {
  event.headers = postgres::detail::headers_from_json(headers);
  if (event.headers.erase(kPayloadHeader) == 0) {
    event.payload = payload;
  } else {
    try {
      event.payload = bytes_of(nlohmann::json::parse(payload).get<std::string>());
    } catch (const nlohmann::json::exception& error) {
      throw Error(ErrorKind::internal, std::string("the payload cannot be read: ") + error.what());
    }
  }
  const auto content_type = event.headers.find(kContentTypeHeader);
  if (content_type == event.headers.end()) return;
  event.content_type = content_type->second;
  event.headers.erase(content_type);
}

}  // namespace penstock::bench

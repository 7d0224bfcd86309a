// UUIDs: drawing (v7), deriving (v5), reading and writing them.
#include <openssl/evp.h>

#include <array>
#include <cstring>

#include "base/random.hpp"
#include "penstock/clock.hpp"
#include "penstock/error.hpp"
#include "penstock/ids.hpp"

namespace penstock {
namespace {

// Namespace of foreign ids: drawn once. It must never change, or a redelivered
// message would become a new event.
constexpr EventId::Bytes kForeignNamespace{0x5e, 0x3c, 0x1d, 0x0a, 0x7b, 0x44, 0x4f, 0x6e,
                                           0x9a, 0x21, 0x0c, 0x8d, 0x52, 0xe7, 0xb3, 0x19};

void set_version(EventId::Bytes& bytes, std::uint8_t version) {
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | (version << 4));
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
}

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr bool is_dash_position(std::size_t i) noexcept {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

}  // namespace

EventId EventId::generate() {
  Bytes bytes{};
  base::system_random(bytes);
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  for (std::size_t i = 0; i < 6; ++i) bytes[i] = static_cast<std::uint8_t>(now >> (40 - 8 * i));
  set_version(bytes, 7);
  return EventId{bytes};
}

EventId EventId::from_foreign(std::string_view source, std::string_view id) {
  // The length of the source stands between, so that ("a", "bc") and ("ab", "c") differ.
  std::string name(reinterpret_cast<const char*>(kForeignNamespace.data()),
                   kForeignNamespace.size());
  name += std::to_string(source.size());
  name += ':';
  name += source;
  name += id;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(name.data(), name.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1) {
    throw Error(ErrorKind::internal, "the crypto library refused SHA-1");
  }
  Bytes bytes{};
  std::memcpy(bytes.data(), digest.data(), bytes.size());
  set_version(bytes, 5);
  return EventId{bytes};
}

std::optional<EventId> EventId::parse(std::string_view text) noexcept {
  if (text.size() != 36) return std::nullopt;
  Bytes bytes{};
  std::size_t nibble = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_dash_position(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int value = hex_value(text[i]);
    if (value < 0) return std::nullopt;
    bytes[nibble / 2] = static_cast<std::uint8_t>((bytes[nibble / 2] << 4) | value);
    ++nibble;
  }
  return EventId{bytes};
}

std::string EventId::to_string() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes_[i] >> 4];
    text += kDigits[bytes_[i] & 0x0F];
  }
  return text;
}

WorkerId WorkerId::incarnation_of(std::string_view name) {
  return WorkerId{std::string(name) + "/" + EventId::generate().to_string()};
}

}  // namespace penstock

std::size_t std::hash<penstock::EventId>::operator()(const penstock::EventId& id) const noexcept {
  // The tail of a UUID is random in v4, v5 and v7 alike.
  std::size_t value = 0;
  std::memcpy(&value, id.bytes().data() + 8, sizeof value);
  return value;
}

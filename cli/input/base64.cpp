// Works in groups of four characters, which are three bytes.
#include "input/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace penstock::cli {
namespace {

/// 0 to 63; -1 for any other character.
int digit_of(char c) noexcept {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string result;
  result.reserve(text.size() / 4 * 3);
  for (std::size_t group = 0; group < text.size(); group += 4) {
    const bool is_last = group + 4 == text.size();
    const std::size_t digits = is_last ? 4 - padding : 4;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const int digit = i < digits ? digit_of(text[group + i]) : 0;
      if (digit < 0) return std::nullopt;
      bits = bits << 6 | static_cast<std::uint32_t>(digit);
    }
    // Bits behind the last byte must be zero, or two texts would mean one payload.
    if (is_last && padding > 0 && (bits & (padding == 2 ? 0xFFFFU : 0xFFU)) != 0) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i + 1 < digits; ++i) {
      result += static_cast<char>(bits >> (16 - 8 * i) & 0xFF);
    }
  }
  return result;
}

std::string encode_base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t group = 0; group < bytes.size(); group += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - group);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[group + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      result += i <= count ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return result;
}

}  // namespace penstock::cli

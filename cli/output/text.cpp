// Formatting of single values; no state, no output.
#include "output/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>

namespace penstock::cli {
namespace {

using std::chrono::microseconds;

struct Unit {
  std::string_view suffix;
  Duration length;
};

constexpr std::array<Unit, 5> kUnits{{{"ms", std::chrono::milliseconds{1}},
                                      {"s", std::chrono::seconds{1}},
                                      {"m", std::chrono::minutes{1}},
                                      {"h", std::chrono::hours{1}},
                                      {"d", std::chrono::days{1}}}};

/// Bytes of the well-formed UTF-8 sequence at the start of `text`; 0 where there is none.
std::size_t sequence_length(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

bool is_control(std::string_view character) noexcept {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  // U+0080 to U+009F: control characters that some terminals obey.
  return character.size() == 2 && first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

std::string iso_time(Timestamp time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss<microseconds> clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::string short_duration(Duration duration) {
  const Unit* unit = &kUnits[0];
  for (const Unit& candidate : kUnits) {
    if (duration >= candidate.length) unit = &candidate;
  }
  const double amount =
      static_cast<double>(duration.count()) / static_cast<double>(unit->length.count());
  if (amount >= 10 || amount == std::floor(amount)) {
    return fmt::format("{:.0f}{}", std::floor(amount), unit->suffix);
  }
  return fmt::format("{:.1f}{}", std::floor(amount * 10) / 10, unit->suffix);
}

std::optional<Duration> parse_duration(std::string_view text) {
  std::int64_t amount = 0;
  const char* const begin = std::to_address(text.begin());
  const char* const end = std::to_address(text.end());
  const auto [rest, error] = std::from_chars(begin, end, amount);
  if (error != std::errc{} || amount < 0) return std::nullopt;
  const std::string_view suffix{rest, static_cast<std::size_t>(end - rest)};
  constexpr Duration kLongest = std::chrono::years{100};
  for (const Unit& unit : kUnits) {
    if (unit.suffix != suffix) continue;
    if (amount > kLongest / unit.length) return std::nullopt;
    return amount * unit.length;
  }
  if (suffix.empty() && amount == 0) return Duration{0};
  return std::nullopt;
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = sequence_length(text);
    if (length == 0 || is_control(text.substr(0, length))) {
      if (length == 0) length = 1;
      for (const char c : text.substr(0, length)) {
        result += c == '\n' ? std::string{"\\n"}
                            : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string without_password(std::string_view url, std::string_view mask) {
  std::string shown{url};
  const std::size_t authority = shown.find("://");
  const std::size_t end = std::min(shown.find_first_of("/?", authority + 3), shown.size());
  const std::size_t at = authority == std::string::npos ? authority : shown.rfind('@', end);
  if (at != std::string::npos) {
    const std::size_t colon = shown.find(':', authority + 3);
    if (colon < at) shown.replace(colon + 1, at - colon - 1, mask);
  }
  constexpr std::string_view kOption = "password=";  // And sslpassword.
  std::size_t option = shown.find(kOption);
  while (option != std::string::npos) {
    const std::size_t value = option + kOption.size();
    shown.replace(value, std::min(shown.find_first_of("& ", value), shown.size()) - value, mask);
    option = shown.find(kOption, value + mask.size());
  }
  return shown;
}

std::size_t character_count(std::string_view text) noexcept {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (character_count(text) <= limit) return std::string{text};
  std::size_t end = 0;
  for (std::size_t count = 0; count + 1 < limit; ++count) {
    do {
      ++end;
    } while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  }
  return std::string{text.substr(0, end)} + "…";
}

}  // namespace penstock::cli

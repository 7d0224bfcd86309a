// Text for people: times, durations, and foreign text made safe for a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "penstock/clock.hpp"

namespace penstock::cli {

/// `2026-01-31T12:00:00.000000Z`.
[[nodiscard]] std::string iso_time(Timestamp time);

/// `1.5s`, `3m`, `2h`: the two most telling digits, for people.
[[nodiscard]] std::string short_duration(Duration duration);

/// Reads `250ms`, `30s`, `5m`, `12h`, `7d`. Empty where `text` is not one, is negative, or is
/// longer than a hundred years.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

/// Control characters and invalid UTF-8 as `\xNN`, so that stored text cannot steer a terminal.
[[nodiscard]] std::string printable(std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// `1 delivery`, `2 deliveries`.
[[nodiscard]] std::string counted(std::int64_t count, std::string_view one, std::string_view many);

/// A store URL fit to be shown: with `mask` for the password.
[[nodiscard]] std::string without_password(std::string_view url, std::string_view mask = "…");

/// At most `limit` characters, cut with an ellipsis.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t limit);

/// Characters, as far as a table cares: code points.
[[nodiscard]] std::size_t character_count(std::string_view text) noexcept;

}  // namespace penstock::cli

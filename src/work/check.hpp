// Arguments at the public edge: refused with `usage`, naming the field and the limit, before
// anything is written. Every store calls these first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "penstock/bus_store.hpp"
#include "penstock/error.hpp"

namespace penstock::work {

/// Throws `usage` for `field`.
[[noreturn]] void refuse(std::string_view field, const std::string& message,
                         std::optional<std::size_t> limit = {});

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// 1 to `limit` bytes of valid UTF-8 without NUL.
void check_text(std::string_view field, std::string_view text, std::size_t limit);

/// A type, or the fixed part of a pattern: segments between dots, none of them empty or with a
/// blank at an end; no "*" and no control characters.
void check_type(std::string_view field, std::string_view type);

/// All of an event but the pieces that publish itself fills in.
void check_event(const Event& event, std::size_t max_payload);

void check_subscription(const Subscription& subscription);

/// At least one condition.
void check_selection(const Selection& selection);

/// Room for at least one row.
void check_list_query(const ListQuery& query);

/// Makes any bytes fit for last_error: at most 8 KiB, cut at a character; NULs and invalid UTF-8
/// replaced by U+FFFD.
[[nodiscard]] std::string error_text(std::string_view raw);

/// The last error of what an operator buries: the reason, and the error that it had before, which
/// mostly is why. At most 8 KiB together, cut at a character.
[[nodiscard]] std::string bury_text(std::string_view reason, std::string_view before);

}  // namespace penstock::work

// The members of one line of NDJSON, each still as its own text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/event.hpp"

namespace penstock::cli {

/// May begin a file, not a line.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Throws `usage` for `field`.
[[noreturn]] void refuse_member(const std::string& field, const std::string& message);

/// Name (decoded) and text of each member of the object that `line` is; views into it.
///
/// Throws: usage (no JSON object, or a member twice).
[[nodiscard]] std::map<std::string, std::string_view> json_members(std::string_view line);

// What a member says. Each throws `usage` where it is of another type.
[[nodiscard]] std::string text_member(const std::string& field, std::string_view text);
[[nodiscard]] std::int64_t integer_member(const std::string& field, std::string_view text);
[[nodiscard]] std::vector<std::string> texts_member(const std::string& field,
                                                    std::string_view text);
[[nodiscard]] Headers headers_member(std::string_view text);
/// Of `payload`: its own bytes without the white space between its tokens, so that numbers, escapes
/// and the order of members stay as they were. Of `payload_base64`: the bytes.
[[nodiscard]] std::string payload_member(const std::string& field, std::string_view text);

}  // namespace penstock::cli

// Base64 (RFC 4648, section 4), for payloads that are not JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace penstock::cli {

/// Strict: padding is required, nothing else is skipped. Empty where `text` is not base64.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

[[nodiscard]] std::string encode_base64(std::string_view bytes);

}  // namespace penstock::cli

// Limits of names, keys, headers and payloads: bytes, the same on every store and in every
// language.
#pragma once

#include <cstddef>

namespace penstock::limits {

inline constexpr std::size_t kTypeBytes = 200;
inline constexpr std::size_t kHandlerBytes = 100;
inline constexpr std::size_t kQueueBytes = 200;
inline constexpr std::size_t kKindBytes = 200;
inline constexpr std::size_t kKeyBytes = 1'000;
inline constexpr std::size_t kContentTypeBytes = 200;
inline constexpr std::size_t kHeadersBytes =
    std::size_t{64} * 1024;  ///< All names and values together.
inline constexpr std::size_t kPayloadBytes =
    std::size_t{16} * 1024 * 1024;  ///< Default of Capabilities.
inline constexpr std::size_t kErrorTextBytes =
    std::size_t{8} * 1024;  ///< Kept of an attempt; longer is cut.

}  // namespace penstock::limits

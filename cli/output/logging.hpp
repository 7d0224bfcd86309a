// --log-level and --log-format: the library's log seam, written to stderr.
#pragma once

#include <optional>
#include <string_view>

#include "penstock/log.hpp"

namespace penstock::cli {

enum class LogFormat { text, json };

/// A log that writes `level` and above. Empty `level`: silence.
[[nodiscard]] Log make_log(std::optional<LogLevel> level, LogFormat format);

}  // namespace penstock::cli

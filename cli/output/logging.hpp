// --log-level and --log-format: the library's log seam, written to stderr.
#pragma once

#include "penstock/log.hpp"

namespace penstock::cli {

enum class LogFormat { text, json };

/// A log that writes `level` and above.
[[nodiscard]] Log make_log(LogLevel level, LogFormat format);

}  // namespace penstock::cli

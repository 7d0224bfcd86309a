// The log seam: penstock has no logger of its own, it calls yours.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace penstock {

enum class LogLevel { debug, info, warning, error };

struct LogField {
  std::string_view name;
  std::string value;
};

/// Called with a level, a sentence and its facts. Never with a payload.
///
/// Threads: called from any thread, also concurrently; must not call back into penstock.
/// An empty function means silence.
using Log = std::function<void(LogLevel, std::string_view event, std::span<const LogField>)>;

}  // namespace penstock

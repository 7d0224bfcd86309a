// What the command line asks for.
#pragma once

#include <functional>

#include "settings.hpp"

namespace penstock::cli {

struct Request {
  Settings settings{};
  std::function<ExitCode(const Settings&)> command{};  ///< Empty: all was said already (--help).
};

/// Reads the arguments; prints help where it is asked for.
///
/// Throws: usage.
[[nodiscard]] Request parse_arguments(int count, const char* const* arguments);

/// Whether --json stands among the arguments, also where they are otherwise wrong.
[[nodiscard]] Format format_of(int count, const char* const* arguments) noexcept;

}  // namespace penstock::cli

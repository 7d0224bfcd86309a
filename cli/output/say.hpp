// What is said to people on stderr, beside the results on stdout.
#pragma once

#include <string_view>

namespace penstock::cli {

/// Writes `text` to stderr. A stderr that is closed or full is no reason to fail: what was to be
/// done is done, and the exit code tells so.
///
/// Threads: any thread, also several at once.
void say(std::string_view text) noexcept;

}  // namespace penstock::cli

// One process of a run: does what its order says, and keeps a journal of it.
#pragma once

#include <filesystem>

namespace penstock::bench {

/// Says "ready" on the standard output, begins at the time that it reads from the standard input,
/// and ends with that input (who publishes: at the end of the window).
///
/// Throws: std::exception.
void work(const std::filesystem::path& order);

}  // namespace penstock::bench

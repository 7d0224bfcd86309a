// The one place that writes text to stderr, so that no caller has to think of its failures.
#include "output/say.hpp"

#include <cstdio>

namespace penstock::cli {

void say(std::string_view text) noexcept {
  [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace penstock::cli

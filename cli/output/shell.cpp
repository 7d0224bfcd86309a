// Quoting for POSIX shells. What is known to be harmless stays as it is, because that reads better.
#include "output/shell.hpp"

#include <algorithm>

#include "output/text.hpp"

namespace penstock::cli {
namespace {

// Beyond letters and digits. No "~" and no "=": their meaning depends on where they stand.
constexpr std::string_view kHarmless = "_-./:@,+%";

bool is_harmless(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kHarmless.find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_harmless)) return std::string{text};
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += R"('\'')";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string url_to_paste(std::string_view url) {
  return shell_word(without_password(url, "YOUR_PASSWORD"));
}

}  // namespace penstock::cli

// Text that somebody pastes into a shell.
#pragma once

#include <string>
#include <string_view>

namespace penstock::cli {

/// `text` as one word of a shell's line: as it is, or quoted where it needs that.
[[nodiscard]] std::string shell_word(std::string_view text);

/// A store URL as such a word; where its password stood, one that says to put it in.
[[nodiscard]] std::string url_to_paste(std::string_view url);

}  // namespace penstock::cli

// Who else was measured, in which configuration, and who could not be had.
#pragma once

#include <iosfwd>

#include "peers/survey.hpp"

namespace penstock::bench {

/// A Markdown table, and a line for each that is absent; nothing where no peer was wanted.
void print_peers(std::ostream& out, const Survey& peers);
void print_absent(std::ostream& out, const Survey& peers);

}  // namespace penstock::bench

// One SQL file as a constant. The name serves as the label in error messages; the address of the
// text is its identity in a connection's cache of prepared statements.
#pragma once

#include <string_view>

namespace penstock::sqlite::detail {

struct SqlText {
  std::string_view name;
  std::string_view text;
};

}  // namespace penstock::sqlite::detail

// One SQL file as a constant. The name is the label in error messages and of the prepared
// statement; the address of the text is its identity in a connection's cache.
#pragma once

#include <string_view>

namespace penstock::postgres::detail {

struct SqlText {
  std::string_view name;
  std::string_view text;  ///< With `:"object"` where a name of ours stands; see Names.
};

}  // namespace penstock::postgres::detail

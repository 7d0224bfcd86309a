// What the whole life of one delivery leaves on the pages of PostgreSQL: penstock's tables beside
// those of version 0.1.0.
#pragma once

#include <string>

namespace penstock::bench {

/// Prints a table. True where it is as designed: the baseline 3 heap tuples and 17 index entries,
/// penstock 1 and 3; with an ordering key 18 and 4. The extension pageinspect is made where it is
/// not there.
///
/// Throws: std::exception, also where the session is no superuser's.
[[nodiscard]] bool compare_pages(const std::string& url);

}  // namespace penstock::bench

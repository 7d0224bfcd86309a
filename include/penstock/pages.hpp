// Evidence of what one delivery costs in PostgreSQL: what it leaves on the pages of the tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

/// A version of a row, as it lies on its page.
struct PageTuple {
  std::int64_t line_pointer = 0;
  std::string xmin{};   ///< Transaction that wrote it.
  std::string xmax{};   ///< Transaction that deleted, replaced or locked it; "0": none.
  std::string ctid{};   ///< Itself, or the version that replaced it.
  std::string flags{};  ///< Of its header, such as HEAP_HOT_UPDATED.
};

struct PageIndex {
  std::string name{};
  std::int64_t entries = 0;  ///< On its leaves, whether they point at something alive or not.
};

/// One table, and what has been done to it since setup.
struct TablePages {
  std::string table{};
  std::int64_t inserted = 0;
  std::int64_t updated = 0;
  std::int64_t heap_only = 0;  ///< Of the updates: those that added no index entry.
  std::int64_t deleted = 0;
  std::vector<PageTuple> tuples{};  ///< Deliveries: all. Lanes: those on the page of the lane used.
  std::vector<PageIndex> indexes{};
};

/// The pages after one event with one handler was published, claimed and completed.
struct PageEvidence {
  bool keyed = false;
  TablePages deliveries{};
  TablePages lanes{};
};

/// Makes a schema of its own at `url`, without vacuum, lets one delivery pass through it, reads the
/// pages, and drops it. Once without an ordering key, once with one.
///
/// Throws: usage (no PostgreSQL), unavailable (also where the extension pageinspect cannot be had),
///         conflict.
/// In:     penstock::penstock.
[[nodiscard]] std::vector<PageEvidence> inspect_pages(std::string_view url);

}  // namespace penstock

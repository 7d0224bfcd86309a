// See command.hpp.
#include "pages/command.hpp"

#include <iostream>
#include <penstock/pages.hpp>
#include <vector>

#include "baseline/baseline.hpp"
#include "harness/layout.hpp"
#include "harness/session.hpp"

namespace penstock::bench {
namespace {

struct Expected {
  std::size_t tuples;
  std::int64_t entries;
};

std::int64_t entries_of(const TablePages& pages) {
  std::int64_t entries = 0;
  for (const PageIndex& index : pages.indexes) entries += index.entries;
  return entries;
}

/// Whether it is as expected.
bool print_row(Layout layout, const PageEvidence& evidence, const Expected& expected) {
  const TablePages& pages = evidence.deliveries;
  const std::int64_t entries = entries_of(pages);
  const bool good =
      pages.tuples.size() == expected.tuples && entries == expected.entries && pages.heap_only == 0;
  std::cout << "| " << to_string(layout) << " | " << (evidence.keyed ? "one" : "none") << " | "
            << pages.tuples.size() << " | " << entries << " | " << pages.inserted << " | "
            << pages.updated << " | " << pages.heap_only << " | " << pages.deleted << " | ";
  if (good) {
    std::cout << "as designed |\n";
  } else {
    std::cout << "NOT " << expected.tuples << " tuples and " << expected.entries << " entries |\n";
  }
  return good;
}

}  // namespace

bool compare_pages(const std::string& url) {
  Session(url).ask("create extension if not exists pageinspect");
  const std::vector<PageEvidence> baseline = inspect_baseline_pages(url);
  const std::vector<PageEvidence> penstock = inspect_pages(url);
  remove_tables(Layout::baseline, url);

  std::cout << "One delivery, published, claimed and completed; autovacuum off.\n\n"
            << "| tables | ordering key | heap tuples | index entries | inserted | updated | "
               "heap-only | deleted | |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  bool good = true;
  for (const PageEvidence& evidence : baseline) {
    const std::int64_t entries = evidence.keyed ? 18 : 17;
    good = print_row(Layout::baseline, evidence, {.tuples = 3, .entries = entries}) && good;
  }
  for (const PageEvidence& evidence : penstock) {
    const std::int64_t entries = evidence.keyed ? 4 : 3;
    good = print_row(Layout::penstock, evidence, {.tuples = 1, .entries = entries}) && good;
  }
  return good;
}

}  // namespace penstock::bench

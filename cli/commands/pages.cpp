// `penstock pages`: the evidence for what a delivery costs in PostgreSQL, read from its pages.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "penstock/pages.hpp"

namespace penstock::cli {
namespace {

std::int64_t entries_of(const TablePages& pages) {
  std::int64_t entries = 0;
  for (const PageIndex& index : pages.indexes) entries += index.entries;
  return entries;
}

Json json_of(const TablePages& pages) {
  Json tuples = Json::array();
  for (const PageTuple& tuple : pages.tuples) {
    tuples.push(Json::object()
                    .set("line_pointer", tuple.line_pointer)
                    .set("xmin", tuple.xmin)
                    .set("xmax", tuple.xmax)
                    .set("ctid", tuple.ctid)
                    .set("flags", tuple.flags));
  }
  Json indexes = Json::array();
  for (const PageIndex& index : pages.indexes) {
    indexes.push(Json::object().set("name", index.name).set("entries", index.entries));
  }
  return Json::object()
      .set("inserted", pages.inserted)
      .set("updated", pages.updated)
      .set("heap_only", pages.heap_only)
      .set("deleted", pages.deleted)
      .set("heap_tuples", static_cast<std::int64_t>(pages.tuples.size()))
      .set("index_entries", entries_of(pages))
      .set("tuples", tuples)
      .set("indexes", indexes);
}

std::string text_of(const TablePages& pages, std::string_view title) {
  Table tuples{{{"lp", Table::Align::right}, {"xmin"}, {"xmax"}, {"ctid"}, {"flags"}}};
  for (const PageTuple& tuple : pages.tuples) {
    tuples.add(
        {std::to_string(tuple.line_pointer), tuple.xmin, tuple.xmax, tuple.ctid, tuple.flags});
  }
  std::string text = fmt::format(
      "{}\n  {} inserted, {} updated ({} of them heap-only), {} deleted; {}, {}\n", title,
      pages.inserted, pages.updated, pages.heap_only, pages.deleted,
      counted(static_cast<std::int64_t>(pages.tuples.size()), "heap tuple", "heap tuples"),
      counted(entries_of(pages), "index entry", "index entries"));
  text += tuples.text();
  for (const PageIndex& index : pages.indexes) {
    text += fmt::format("  {}: {}\n", index.name, counted(index.entries, "entry", "entries"));
  }
  return text + "\n";
}

}  // namespace

ExitCode run_pages(const Settings& settings) {
  const std::vector<PageEvidence> found = inspect_pages(database_url(settings));
  Json result = Json::object();
  std::string text;
  for (const PageEvidence& evidence : found) {
    const std::string name = evidence.keyed ? "keyed" : "unkeyed";
    result.set(name, Json::object()
                         .set("deliveries", json_of(evidence.deliveries))
                         .set("lanes", json_of(evidence.lanes)));
    text += text_of(evidence.deliveries,
                    fmt::format("One {} delivery, published, claimed and completed", name));
    text += text_of(evidence.lanes, "The lane it was in, and what else lies on that page");
  }
  if (settings.json()) {
    print(result);
  } else {
    print_text(text);
  }
  return ExitCode::done;
}

}  // namespace penstock::cli

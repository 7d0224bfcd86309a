// See page_reader.hpp.
#include "store/postgres/pages/page_reader.hpp"

#include "penstock/error.hpp"
#include "store/postgres/sql.hpp"

namespace penstock::postgres::detail {

void PageReader::find_pageinspect() {
  database_.call("pages", Effect::repeatable, [this](Connection& connection) {
    const Result result = connection.query(sql::find_pageinspect);
    const Row row = result.only();
    if (const auto schema = row.optional_text(0)) {
      pageinspect_ = *schema;
      if (row.boolean(2)) return;
      throw Error(ErrorKind::unavailable,
                  "only a superuser may look at pages: run it as one, on a database of its own",
                  {.operation = "pages"});
    }
    throw Error(ErrorKind::unavailable,
                row.boolean(1)
                    ? "the extension pageinspect is not in this database: let a superuser run "
                      "`create extension pageinspect`"
                    : "the server has no extension pageinspect: install its package of contributed "
                      "extensions, then let a superuser run `create extension pageinspect`",
                {.operation = "pages"});
  });
}

void PageReader::keep_vacuum_from(const char* table) {
  database_.transact("pages", Effect::repeatable, [table](Connection& connection) {
    connection.execute("alter table " + connection.names().qualified(table) +
                       " set (autovacuum_enabled = false)");
  });
}

TablePages PageReader::counters(const char* table) {
  return database_.read("pages", [table](Connection& connection) {
    const Result result =
        connection.query(sql::table_counters, connection.names().qualified(table));
    const Row row = result.only();
    return TablePages{.table = table,
                      .inserted = row.integer(0),
                      .updated = row.integer(1),
                      .heap_only = row.integer(2),
                      .deleted = row.integer(3)};
  });
}

void PageReader::read_pages(TablePages& table, std::int64_t page) {
  database_.transact("pages", Effect::repeatable, [&](Connection& connection) {
    connection.execute("set local search_path = " + quoted_identifier(pageinspect_) +
                       ", pg_catalog");
    const std::string name = connection.names().qualified(table.table);
    table.tuples.clear();
    for (const Row row : connection.query(sql::heap_tuples, name, page)) {
      table.tuples.push_back({.line_pointer = row.integer(0),
                              .xmin = std::string(row.text(1)),
                              .xmax = std::string(row.text(2)),
                              .ctid = std::string(row.text(3)),
                              .flags = std::string(row.text(4))});
    }
    table.indexes.clear();
    for (const Row row : connection.query(sql::index_entries, name)) {
      table.indexes.push_back({.name = std::string(row.text(0)), .entries = row.integer(1)});
    }
  });
}

}  // namespace penstock::postgres::detail

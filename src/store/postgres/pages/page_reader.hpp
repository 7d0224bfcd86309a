// What lies on the pages of a table, read with the extension pageinspect.
#pragma once

#include <cstdint>
#include <string>

#include "penstock/pages.hpp"
#include "store/postgres/database.hpp"

namespace penstock::postgres::detail {

/// Threads: one thread at a time. The tables are those of `database`, by their names without
/// prefix. Every call throws what the database does.
class PageReader {
 public:
  /// `database` outlives it.
  explicit PageReader(Database& database) : database_(database) {}

  /// Throws: unavailable, where the extension cannot be had or used.
  void find_pageinspect();
  /// Keeps vacuum away from a table, so that the evidence stays.
  void keep_vacuum_from(const char* table);
  /// Of the server's statistics.
  [[nodiscard]] TablePages counters(const char* table);
  /// Fills in the versions of rows on one page, and the entries of all indexes.
  void read_pages(TablePages& table, std::int64_t page);

 private:
  Database& database_;
  std::string pageinspect_{};
};

}  // namespace penstock::postgres::detail

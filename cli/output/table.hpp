// A table for people: aligned columns, no lines, control characters made visible.
#pragma once

#include <string>
#include <vector>

namespace penstock::cli {

/// Rows of text under a heading. Threads: one thread at a time.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title{};
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell for each column.
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  /// The heading and the rows, each ended by a newline.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace penstock::cli

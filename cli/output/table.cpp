// Lays out a table by the widest cell of each column.
#include "output/table.hpp"

#include <algorithm>

#include "output/text.hpp"

namespace penstock::cli {

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (const Column& column : columns_) {
    widths.push_back(character_count(column.title));
    titles.push_back(column.title);
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], character_count(row[i]));
    }
  }

  std::string result;
  const auto append = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - character_count(cells[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  };
  append(titles);
  for (const auto& row : rows_) append(row);
  return result;
}

}  // namespace penstock::cli

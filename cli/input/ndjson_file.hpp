// Reading a file of NDJSON line by line, with progress; bad lines are told, not thrown.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "output/progress.hpp"
#include "penstock/error.hpp"

namespace penstock::cli {

using OnBad = std::function<void(std::size_t line, const Error& error)>;

/// Calls `line` with the number and text of every line that is neither blank nor too long.
void for_each_line(std::FILE* file, Progress& progress,
                   const std::function<void(std::size_t, std::string_view)>& line,
                   const OnBad& bad);

/// Calls `each` with everything that `parse` makes of a line, and `bad` where that throws an Error.
template <typename Item, typename Parse>
void for_each_parsed(std::FILE* file, Progress& progress, Parse parse,
                     const std::function<void(std::size_t, Item)>& each, const OnBad& bad) {
  for_each_line(
      file, progress,
      [&](std::size_t number, std::string_view text) {
        std::optional<Item> item;
        try {
          item = parse(text);
        } catch (const Error& error) {
          bad(number, error);
        }
        // Outside the try: what `each` throws may be about an earlier line, and names it.
        if (item) each(number, std::move(*item));
      },
      bad);
}

}  // namespace penstock::cli

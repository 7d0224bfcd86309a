// What stands on good lines, written in batches within one transaction of the caller.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "input/ndjson_file.hpp"
#include "input/spool.hpp"
#include "penstock/error.hpp"

namespace penstock::cli {

/// What to do about a line that cannot be taken.
enum class OnBadLine { refuse_all, skip };

/// A line that was left out, and why.
struct BadLine {
  std::size_t line = 0;  ///< From 1.
  std::string message{};
};

/// Throws `usage`: all of the file is refused for one line. `done` as in "nothing was published".
[[noreturn]] void refuse_line(std::size_t line, const Error& error, const char* done);

/// One thread at a time.
template <typename Item>
class NdjsonBatches {
 public:
  using Write = std::function<void(std::span<const Item>)>;

  /// `write` stores a batch or throws; `skipped` outlives this.
  NdjsonBatches(Write write, OnBadLine on_bad_line, const char* done, std::vector<BadLine>& skipped)
      : write_(std::move(write)), on_bad_line_(on_bad_line), done_(done), skipped_(skipped) {}

  void add(std::size_t line, Item item) {
    bytes_ += item.payload.size();
    lines_.push_back(line);
    items_.push_back(std::move(item));
    // Large enough to amortise a call, small enough for any machine's memory.
    if (items_.size() >= 500 || bytes_ >= 8 * 1024 * 1024) flush();
  }

  void flush() {
    if (!items_.empty()) write_batch();
    items_.clear();
    lines_.clear();
    bytes_ = 0;
  }

 private:
  // What only the store can judge (its limits) shows here: a refused batch is repeated one by one
  // to learn which line it was.
  void write_batch() {
    try {
      write_(items_);
      return;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
    }
    for (std::size_t i = 0; i < items_.size(); ++i) {
      try {
        write_({&items_[i], 1});
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::usage) throw;
        if (on_bad_line_ == OnBadLine::refuse_all) refuse_line(lines_[i], error, done_);
        skipped_.push_back({lines_[i], error.what()});
      }
    }
  }

  const Write write_;
  const OnBadLine on_bad_line_;
  const char* const done_;
  std::vector<BadLine>& skipped_;
  std::vector<Item> items_{};
  std::vector<std::size_t> lines_{};
  std::size_t bytes_ = 0;
};

/// Reads `path` ("-": stdin) twice: first every line is parsed, so that a mistake is found before
/// any lock is taken, then what stands on them is written in batches. Commits nothing.
///
/// Throws: usage, naming the first bad line, unless those are to be skipped; what `write` throws.
template <typename Item, typename Parse>
void take_ndjson(const std::string& path, OnBadLine on_bad_line, const char* done,
                 Progress& progress, Parse parse, const typename NdjsonBatches<Item>::Write& write,
                 std::vector<BadLine>& skipped) {
  const File file = open_rewindable(path, "ndjson");
  const OnBad refuse = [done](std::size_t line, const Error& error) {
    refuse_line(line, error, done);
  };
  if (on_bad_line == OnBadLine::refuse_all) {
    for_each_parsed<Item>(file.get(), progress, parse, [](std::size_t, const Item&) {}, refuse);
  }
  NdjsonBatches<Item> batches{write, on_bad_line, done, skipped};
  for_each_parsed<Item>(
      file.get(), progress, parse,
      [&](std::size_t line, Item item) { batches.add(line, std::move(item)); },
      [&](std::size_t line, const Error& error) {
        // A file that somebody changes between the two passes is refused like any other.
        if (on_bad_line == OnBadLine::refuse_all) refuse(line, error);
        skipped.push_back({line, error.what()});
      });
  batches.flush();
}

}  // namespace penstock::cli

// The first pass needs no store, so a mistake is found before any lock is taken. What only the
// store can judge (its limits) shows in the second pass, where a refused batch is repeated event by
// event to learn which line it was.
#include "input/ndjson_publisher.hpp"

#include <sys/stat.h>

#include <functional>
#include <optional>

#include "input/ndjson_line.hpp"
#include "input/spool.hpp"

namespace penstock::cli {
namespace {

using OnBadLine = PublishOptions::OnBadLine;

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

[[noreturn]] void refuse_line(std::size_t line, const Error& error) {
  throw Error(ErrorKind::usage,
              "line " + std::to_string(line) + ": " + error.what() +
                  "; nothing was published; --skip-bad publishes the rest",
              {.operation = "publish", .field = error.field(), .limit = error.limit()});
}

/// Calls `each` with every event that can be read, and `bad` with every line that cannot.
void for_each_event(std::FILE* file, Progress& progress,
                    const std::function<void(std::size_t, Event)>& each,
                    const std::function<void(std::size_t, const Error&)>& bad) {
  std::rewind(file);
  struct stat facts{};
  const bool is_known = ::fstat(::fileno(file), &facts) == 0;
  const auto total = is_known ? static_cast<std::uint64_t>(facts.st_size) : 0;
  LineReader reader{file};
  std::string line;
  for (;;) {
    const LineReader::Result result = reader.next(line);
    if (result == LineReader::Result::end) return;
    progress.update(reader.bytes() / 1024, total / 1024, "KiB");
    if (result == LineReader::Result::too_long) {
      bad(reader.number(), Error(ErrorKind::usage,
                                 "line: expected at most " +
                                     std::to_string(LineReader::kLineLimit) + " bytes, found more",
                                 {.field = "line", .limit = LineReader::kLineLimit}));
      continue;
    }
    if (reader.number() == 1 && line.starts_with(kByteOrderMark)) {
      line.erase(0, kByteOrderMark.size());
    }
    if (is_blank(line)) continue;
    std::optional<Event> event;
    try {
      event = parse_ndjson_line(line);
    } catch (const Error& error) {
      bad(reader.number(), error);
    }
    // Outside the try: what `each` throws may be about an earlier line, and names it.
    if (event) each(reader.number(), std::move(*event));
  }
}

/// Publishes in batches within one transaction.
class Batches {
 public:
  Batches(BusStore& store, OnBadLine on_bad_line, NdjsonReport& result)
      : store_(store), transaction_(store.begin()), on_bad_line_(on_bad_line), result_(result) {}

  void add(std::size_t line, Event event) {
    bytes_ += event.payload.size();
    lines_.push_back(line);
    events_.push_back(std::move(event));
    // Large enough to amortise a call, small enough for any machine's memory.
    if (events_.size() >= 500 || bytes_ >= 8 * 1024 * 1024) flush();
  }

  void commit() {
    flush();
    transaction_->commit();
  }

 private:
  void flush() {
    if (!events_.empty()) publish_batch();
    events_.clear();
    lines_.clear();
    bytes_ = 0;
  }

  void publish_batch() {
    try {
      count(store_.publish(events_, transaction_.get()));
      return;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
    }
    for (std::size_t i = 0; i < events_.size(); ++i) {
      try {
        count(store_.publish({&events_[i], 1}, transaction_.get()));
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::usage) throw;
        if (on_bad_line_ == OnBadLine::refuse_all) refuse_line(lines_[i], error);
        result_.skipped.push_back({lines_[i], error.what()});
      }
    }
  }

  void count(const std::vector<Published>& batch) {
    for (const Published& published : batch) {
      const bool created = published.status == PublishStatus::created;
      ++(created ? result_.published : result_.duplicates);
      if (created && published.handlers.empty()) ++result_.without_handler;
      result_.deliveries += static_cast<std::int64_t>(published.handlers.size());
    }
  }

  BusStore& store_;
  std::unique_ptr<OwnedTransaction> transaction_;
  OnBadLine on_bad_line_;
  NdjsonReport& result_;
  std::vector<Event> events_{};
  std::vector<std::size_t> lines_{};
  std::size_t bytes_ = 0;
};

}  // namespace

NdjsonReport publish_ndjson(BusStore& store, const std::string& path, OnBadLine on_bad_line,
                            Progress& progress) {
  const File file = open_rewindable(path, "ndjson");
  if (on_bad_line == OnBadLine::refuse_all) {
    for_each_event(file.get(), progress, [](std::size_t, const Event&) {}, refuse_line);
  }
  NdjsonReport result;
  Batches batches{store, on_bad_line, result};
  for_each_event(
      file.get(), progress,
      [&](std::size_t line, Event event) { batches.add(line, std::move(event)); },
      [&](std::size_t line, const Error& error) {
        // A file that somebody changes between the two passes is refused like any other.
        if (on_bad_line == OnBadLine::refuse_all) refuse_line(line, error);
        result.skipped.push_back({line, error.what()});
      });
  batches.commit();
  return result;
}

}  // namespace penstock::cli

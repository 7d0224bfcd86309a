// Journals: what was published, and what each worker's handlers did, in files of one line a record.
// A record is on the disk before the work that it tells of counts as done.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "demo/auditor.hpp"
#include "process/descriptor.hpp"

namespace penstock::cli::demo {

/// Appends records and forces them to the disk; threads that wait at the same time share one fsync.
///
/// Threads: thread-safe.
class JournalWriter {
 public:
  /// Throws: unavailable. An existing file is continued.
  explicit JournalWriter(const std::filesystem::path& path);

  /// Returns when the record is on the disk. Throws: unavailable.
  void write(const HandledRecord& record);
  void write(const std::vector<PublishedRecord>& records);
  /// An attempt that failed on purpose, for the summary.
  void write_failure(std::string_view handler);

 private:
  void append(std::string line);

  Descriptor file_;
  std::mutex mutex_;
  std::condition_variable synced_;
  std::string waiting_{};          // Guarded by mutex_, as is all below.
  std::uint64_t next_ticket_ = 0;  ///< Of the record to come.
  std::uint64_t safe_ = 0;         ///< Records below this are on the disk.
  bool is_syncing_ = false;
  bool has_failed_ = false;
};

/// Reads the journals of a folder as they grow. A last line without its newline was cut by a kill,
/// before the handler returned: it is not counted.
///
/// Threads: one thread at a time.
class JournalReader {
 public:
  explicit JournalReader(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Takes in what was written since the last call. Throws: unavailable; internal (not a journal).
  void read_on();

  [[nodiscard]] const std::vector<PublishedRecord>& published() const { return published_; }
  [[nodiscard]] const std::vector<HandledRecord>& handled() const { return handled_; }
  [[nodiscard]] std::int64_t failures() const { return failures_; }

 private:
  void read_file(const std::filesystem::path& path);
  void take(const std::string& line);

  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::uint64_t> offsets_{};
  std::vector<PublishedRecord> published_{};
  std::vector<HandledRecord> handled_{};
  std::int64_t failures_ = 0;
};

[[nodiscard]] std::filesystem::path published_journal(const std::filesystem::path& folder);
[[nodiscard]] std::filesystem::path worker_journal(const std::filesystem::path& folder, int worker);

}  // namespace penstock::cli::demo

// What a process handled or published, in a file that the harness reads: also while the process
// runs, and after it was killed, because the file is mapped and so outlives it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace penstock::bench {

/// This machine's steady clock, the same for all its processes.
[[nodiscard]] std::int64_t now_ns() noexcept;

struct Record {
  std::uint32_t number = 0;  ///< Of the event.
  std::uint32_t unused = 0;
  std::int64_t at_ns = 0;    ///< When the handler got it, or when publish had committed it.
  std::int64_t took_ns = 0;  ///< How long the publish took that it was part of.
};

/// Threads: `write` from any; by a process that has opened it for that.
class Journal {
 public:
  /// Makes an empty file of room for `kCapacity` records; what is not written takes no space.
  static void create(const std::filesystem::path& path);
  /// Throws: std::system_error.
  explicit Journal(const std::filesystem::path& path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void write(const Record& record) noexcept;
  /// How many were written, those that found no room included.
  [[nodiscard]] std::uint64_t count() const noexcept;
  /// In no particular order. Throws std::runtime_error where there was no room for all.
  [[nodiscard]] std::vector<Record> records() const;

  static constexpr std::size_t kCapacity = std::size_t{1} << 22U;

 private:
  struct Contents;
  Contents* contents_;
};

}  // namespace penstock::bench

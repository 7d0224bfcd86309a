// Input that can be read twice: a regular file as it is, anything else (stdin, a pipe) copied to a
// temporary file first, so that a bad last line can refuse the first one.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace penstock::cli {

struct FileCloser {
  void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// `path` "-" is stdin. The result stands at its beginning.
///
/// Throws: usage (no such file, a folder, more than 4 GiB through a pipe), unavailable.
[[nodiscard]] File open_rewindable(const std::string& path, const std::string& field);

/// All of a file or of stdin. Throws: usage, also where it is longer than `limit` bytes.
[[nodiscard]] std::string read_whole(const std::string& path, const std::string& field,
                                     std::size_t limit);

/// Reads lines of bounded length.
///
/// Threads: one thread at a time.
class LineReader {
 public:
  enum class Result { line, too_long, end };

  explicit LineReader(std::FILE* file) : file_(file) {}
  /// The next line without its newline. A line over the limit is skipped whole.
  Result next(std::string& line);
  /// Of the line that `next` gave, from 1.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// Room for 16 MiB of payload in base64, with headers.
  static constexpr std::size_t kLineLimit = std::size_t{32} * 1024 * 1024;

 private:
  std::FILE* file_;
  std::size_t number_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace penstock::cli

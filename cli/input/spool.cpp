// Plain C files: they have temporary files that vanish by themselves, and one call for the length.
#include "input/spool.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "penstock/error.hpp"

namespace penstock::cli {
namespace {

constexpr std::uint64_t kSpoolLimit = std::uint64_t{4} * 1024 * 1024 * 1024;

[[noreturn]] void refuse(const std::string& field, const std::string& message) {
  throw Error(ErrorKind::usage, field + ": " + message, {.field = field});
}

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::unavailable, what + ": " + std::generic_category().message(errno));
}

bool is_stdin(const std::string& path) { return path == "-"; }

File open_file(const std::string& path, const std::string& field) {
  if (is_stdin(path)) return nullptr;
  File file{std::fopen(path.c_str(), "rbe")};
  struct stat facts{};
  if (file == nullptr || ::fstat(::fileno(file.get()), &facts) != 0) {
    refuse(field, "expected a file that can be read, found \"" + path +
                      "\": " + std::generic_category().message(errno));
  }
  if (S_ISDIR(facts.st_mode)) refuse(field, "expected a file, found the folder \"" + path + "\"");
  return file;
}

bool is_regular(std::FILE* file) {
  struct stat facts{};
  return ::fstat(::fileno(file), &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

File open_rewindable(const std::string& path, const std::string& field) {
  File file = open_file(path, field);
  if (file != nullptr && is_regular(file.get())) return file;

  std::FILE* const source = file == nullptr ? stdin : file.get();
  File spool{std::tmpfile()};
  if (spool == nullptr) fail("a temporary file for the input could not be made");
  std::array<char, 64 * 1024> buffer{};
  std::uint64_t total = 0;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), source)) {
    total += got;
    if (total > kSpoolLimit) {
      refuse(field, "expected at most 4 GiB through a pipe, found more: give a file instead");
    }
    if (std::fwrite(buffer.data(), 1, got, spool.get()) != got) {
      fail("the input could not be kept in a temporary file");
    }
  }
  if (std::ferror(source) != 0) fail("the input could not be read");
  if (std::fflush(spool.get()) != 0) fail("the input could not be kept in a temporary file");
  std::rewind(spool.get());
  return spool;
}

std::string read_whole(const std::string& path, const std::string& field, std::size_t limit) {
  const File file = open_file(path, field);
  std::FILE* const source = file == nullptr ? stdin : file.get();
  std::string content;
  std::array<char, 64 * 1024> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), source)) {
    content.append(buffer.data(), got);
    if (content.size() > limit) {
      throw Error(ErrorKind::usage,
                  field + ": expected at most " + std::to_string(limit) + " bytes, found more",
                  {.field = field, .limit = limit});
    }
  }
  if (std::ferror(source) != 0) fail("the input could not be read");
  return content;
}

LineReader::Result LineReader::next(std::string& line) {
  line.clear();
  bool is_too_long = false;
  bool has_any = false;
  ::flockfile(file_);
  int c = 0;
  while ((c = ::getc_unlocked(file_)) != EOF) {
    has_any = true;
    ++bytes_;
    if (c == '\n') break;
    if (line.size() < kLineLimit) {
      line += static_cast<char>(c);
    } else {
      is_too_long = true;
    }
  }
  ::funlockfile(file_);
  if (std::ferror(file_) != 0) fail("the input could not be read");
  if (!has_any) return Result::end;
  ++number_;
  return is_too_long ? Result::too_long : Result::line;
}

}  // namespace penstock::cli

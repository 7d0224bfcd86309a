// Lines of a file.
#include "input/ndjson_file.hpp"

#include <sys/stat.h>

#include "input/json_members.hpp"
#include "input/spool.hpp"

namespace penstock::cli {
namespace {

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

void for_each_line(std::FILE* file, Progress& progress,
                   const std::function<void(std::size_t, std::string_view)>& line,
                   const OnBad& bad) {
  std::rewind(file);
  struct stat facts{};
  const bool is_known = ::fstat(::fileno(file), &facts) == 0;
  const auto total = is_known ? static_cast<std::uint64_t>(facts.st_size) : 0;
  LineReader reader{file};
  std::string text;
  for (;;) {
    const LineReader::Result result = reader.next(text);
    if (result == LineReader::Result::end) return;
    progress.update(reader.bytes() / 1024, total / 1024, "KiB");
    if (result == LineReader::Result::too_long) {
      bad(reader.number(), Error(ErrorKind::usage,
                                 "line: expected at most " +
                                     std::to_string(LineReader::kLineLimit) + " bytes, found more",
                                 {.field = "line", .limit = LineReader::kLineLimit}));
      continue;
    }
    if (reader.number() == 1 && text.starts_with(kByteOrderMark)) {
      text.erase(0, kByteOrderMark.size());
    }
    if (!is_blank(text)) line(reader.number(), text);
  }
}

}  // namespace penstock::cli

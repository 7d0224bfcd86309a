// What is said of a file that is refused.
#include "input/ndjson_batches.hpp"

namespace penstock::cli {

void refuse_line(std::size_t line, const Error& error, const char* done) {
  const std::string verb(done);
  throw Error(ErrorKind::usage,
              "line " + std::to_string(line) + ": " + error.what() + "; nothing was " + verb +
                  "; --skip-bad takes the rest",
              {.operation = verb, .field = error.field(), .limit = error.limit()});
}

}  // namespace penstock::cli

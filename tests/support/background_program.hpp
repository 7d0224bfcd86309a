// A program that serves the tests: it says when it is ready, and ends with its standard input, so
// that it never outlives the test.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace penstock::test {

/// One thread at a time.
class BackgroundProgram {
 public:
  /// Runs `command` until it has printed a line; throws std::runtime_error where it prints none.
  /// One that exits with 77, because what it serves is not installed, ends the test with it.
  explicit BackgroundProgram(const std::vector<std::string>& command);
  /// Ends it, and waits for its end.
  ~BackgroundProgram();
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

  /// What it printed first, without the end of the line.
  [[nodiscard]] const std::string& first_line() const noexcept { return first_line_; }

 private:
  pid_t process_ = -1;
  int input_ = -1;
  std::string first_line_;
};

/// Runs `command` to its end; throws std::runtime_error where it fails.
void run_program(const std::vector<std::string>& command);

}  // namespace penstock::test

// penstock-bench as a child process.
#pragma once

#include <string>

namespace penstock::test {

struct Ended {
  int exit_code = -1;
  std::string output{};  ///< Both streams.
};

/// `before` goes before the program in the shell's command, such as "NAME=value".
[[nodiscard]] Ended run_bench(const std::string& arguments, const std::string& before = {});

}  // namespace penstock::test

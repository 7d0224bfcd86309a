// See program.hpp.
#include "program.hpp"

#include <stdio.h>
#include <sys/wait.h>

#include <array>

namespace penstock::test {

Ended run_bench(const std::string& arguments, const std::string& before) {
  const std::string command = before + " '" + PENSTOCK_BENCH + "' " + arguments + " 2>&1";
  Ended run;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return run;
  std::array<char, 4096> part{};
  while (const std::size_t size = ::fread(part.data(), 1, part.size(), pipe)) {
    run.output.append(part.data(), size);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  return run;
}

}  // namespace penstock::test

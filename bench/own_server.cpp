// See own_server.hpp.
#include "own_server.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace penstock::bench {

void start_again_with_own_server(char** arguments) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  ::setenv("PENSTOCK_BENCH_PROGRAM", self.c_str(), 1);
  ::execv(PENSTOCK_BENCH_SERVER_SCRIPT, arguments);
  throw std::system_error(errno, std::generic_category(), PENSTOCK_BENCH_SERVER_SCRIPT);
}

}  // namespace penstock::bench

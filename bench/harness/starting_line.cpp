// See starting_line.hpp. Reads byte by byte, because nothing after the line may be taken with it.
#include "harness/starting_line.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "harness/journal.hpp"

namespace penstock::bench {
namespace {

/// False at the end of the input.
bool read_byte(char& byte) {
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    return got == 1;
  }
}

}  // namespace

std::int64_t await_beginning() {
  constexpr char kReady[] = "ready\n";
  if (::write(STDOUT_FILENO, kReady, sizeof(kReady) - 1) < 0) return 0;
  std::string line;
  char byte = 0;
  while (read_byte(byte) && byte != '\n') line += byte;
  const std::int64_t at_ns = std::strtoll(line.c_str(), nullptr, 10);
  sleep_until(at_ns);
  return at_ns;
}

void await_end() {
  char byte = 0;
  while (read_byte(byte)) {
  }
}

bool has_been_told_to_end() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  return ::poll(&input, 1, 0) > 0;
}

void sleep_until(std::int64_t at_ns) {
  std::this_thread::sleep_until(
      std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at_ns)));
}

}  // namespace penstock::bench

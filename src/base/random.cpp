// The system's random bytes.
#include "base/random.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "penstock/error.hpp"

namespace penstock::base {

void system_random(std::span<std::uint8_t> out) {
  while (!out.empty()) {
    const ssize_t got = ::getrandom(out.data(), out.size(), 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      throw Error(ErrorKind::unavailable, std::string("the system gives no random bytes: ") +
                                              std::generic_category().message(errno));
    }
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

namespace {
std::uint64_t system_seed() {
  std::uint8_t bytes[8];
  system_random(bytes);
  std::uint64_t seed = 0;
  std::memcpy(&seed, bytes, sizeof seed);
  return seed;
}
}  // namespace

Random::Random() : engine_(system_seed()) {}

}  // namespace penstock::base

// How a broken invariant is reported.
#include "base/invariant.hpp"

#include <cstdio>
#include <string>

namespace penstock::base {

void invariant_broken(const char* condition, const char* file, int line) {
#ifndef NDEBUG
  static_cast<void>(
      std::fprintf(stderr, "penstock: invariant broken: %s (%s:%d)\n", condition, file, line));
  std::abort();
#else
  throw Error(ErrorKind::internal, std::string("penstock is broken, please report it: ") +
                                       condition + " (" + file + ":" + std::to_string(line) + ")");
#endif
}

}  // namespace penstock::base

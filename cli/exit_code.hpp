// How the program ends, for scripts. Documented by `penstock --help`.
#pragma once

#include "penstock/error.hpp"

namespace penstock::cli {

enum class ExitCode : int {
  done = 0,
  failed = 1,  ///< Or not found.
  usage = 2,
  unavailable = 3,
  conflict = 4,  ///< Or in doubt.
  schema = 5,
  verdict = 6,  ///< The demo found lost work or broken order.
};

[[nodiscard]] constexpr ExitCode exit_code_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::unavailable: return ExitCode::unavailable;
    case ErrorKind::conflict:
    case ErrorKind::in_doubt: return ExitCode::conflict;
    case ErrorKind::schema: return ExitCode::schema;
    case ErrorKind::usage: return ExitCode::usage;
    case ErrorKind::internal: break;
  }
  return ExitCode::failed;
}

}  // namespace penstock::cli

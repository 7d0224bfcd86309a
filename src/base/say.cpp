// The log seam, made safe to call from anywhere.
#include "base/say.hpp"

#include <bit>
#include <string>

namespace penstock::base {

void say(const Log& log, LogLevel level, std::string_view event,
         std::initializer_list<LogField> fields) noexcept {
  if (!log) return;
  try {
    log(level, event, {fields.begin(), fields.size()});
  } catch (...) {
    // A logger that fails must not cost a delivery its attempt, and there is nobody to tell.
  }
}

void say_store_error(const Log& log, std::string_view operation, const Error& error,
                     int earlier_failures) noexcept {
  const auto failures = static_cast<unsigned>(earlier_failures) + 1;
  if (!std::has_single_bit(failures)) return;
  const bool passing =
      error.kind() == ErrorKind::unavailable || error.kind() == ErrorKind::conflict;
  say(log, passing ? LogLevel::warning : LogLevel::error, "store call failed",
      {{"operation", std::string(operation)},
       {"kind", std::string(to_string(error.kind()))},
       {"code", error.store_code()},
       {"failures", std::to_string(failures)},
       {"message", error.what()}});
}

}  // namespace penstock::base

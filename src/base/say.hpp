// Speaking through the caller's log, which may be absent and may throw.
#pragma once

#include <initializer_list>
#include <string_view>

#include "penstock/error.hpp"
#include "penstock/log.hpp"

namespace penstock::base {

void say(const Log& log, LogLevel level, std::string_view event,
         std::initializer_list<LogField> fields = {}) noexcept;

/// Says that `operation` failed for the `earlier_failures + 1`st time in a row: the first time,
/// then ever more rarely, so that an outage does not flood the log.
void say_store_error(const Log& log, std::string_view operation, const Error& error,
                     int earlier_failures) noexcept;

}  // namespace penstock::base

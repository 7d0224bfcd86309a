// What every command knows: which store, how to print, where to log.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "exit_code.hpp"
#include "output/json.hpp"
#include "penstock/log.hpp"
#include "penstock/store.hpp"

namespace penstock::cli {

enum class Format { people, json };

struct Settings {
  std::string db{};  ///< Of --db, as given; empty where absent.
  Format format = Format::people;
  Log log{};

  [[nodiscard]] bool json() const noexcept { return format == Format::json; }
};

/// The store of --db, else of PENSTOCK_DB.
///
/// Throws: usage (none given, unknown, or in memory), unavailable.
[[nodiscard]] std::unique_ptr<Store> open(const Settings& settings);
[[nodiscard]] std::string database_url(const Settings& settings);

/// Prints one JSON value and a newline, or text as it is, to stdout.
void print(const Json& json);
void print_text(std::string_view text);

/// One line on stderr: text, or with --json an object. Gives the code to end with.
ExitCode report(const Error& error, Format format);
/// Something to know that is no failure: one line on stderr, or with --json an object.
void warn(const std::string& message, Format format);
/// Nothing of that id is there: exit 1, without an exception, because it is an answer.
ExitCode report_not_found(const std::string& message, Format format);

}  // namespace penstock::cli

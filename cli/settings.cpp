// Opens the store that the command line names, and prints results and failures in one way.
#include "settings.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "output/say.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

void print_error(std::string_view kind, const std::string& message, const Error* error,
                 Format format) {
  std::string line;
  if (format == Format::json) {
    Json json = Json::object();
    json.set("kind", kind).set("message", message);
    if (error != nullptr && !error->field().empty()) json.set("field", error->field());
    if (error != nullptr && error->limit()) json.set("limit", *error->limit());
    line = json.text();
  } else {
    line = fmt::format("penstock: {}: {}", kind, printable(message));
  }
  say(line + '\n');
}

void write_out(std::string_view text) {
  const bool ok =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!ok) {
    throw Error(
        ErrorKind::unavailable,
        "the output could not be written: expected an open stdout, found it closed or full");
  }
}

}  // namespace

std::string database_url(const Settings& settings) {
  if (!settings.db.empty()) return settings.db;
  const char* const variable = std::getenv("PENSTOCK_DB");
  if (variable != nullptr && *variable != '\0') return variable;
  throw Error(ErrorKind::usage,
              "no store was named: give --db URL or set PENSTOCK_DB, for example "
              "--db sqlite:orders.db",
              {.field = "db"});
}

std::unique_ptr<Store> open(const Settings& settings) {
  const std::string url = database_url(settings);
  if (url.starts_with("memory:")) {
    throw Error(ErrorKind::usage,
                "a store in memory ends with the command, so no other command finds what is in it: "
                "expected a store that lasts, for example --db sqlite:orders.db, found " +
                    url,
                {.field = "db"});
  }
  return open_store(url, StoreOptions{.log = settings.log});
}

void print(const Json& json) { write_out(json.text() + '\n'); }
void print_text(std::string_view text) { write_out(text); }

ExitCode report(const Error& error, Format format) {
  print_error(to_string(error.kind()), error.what(), &error, format);
  return exit_code_of(error.kind());
}

void warn(const std::string& message, Format format) {
  print_error("warning", message, nullptr, format);
}

ExitCode report_not_found(const std::string& message, Format format) {
  print_error("not_found", message, nullptr, format);
  return ExitCode::failed;
}

}  // namespace penstock::cli

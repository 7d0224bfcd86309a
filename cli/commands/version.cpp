// `penstock version`.
#include "penstock/version.hpp"

#include <fmt/format.h>

#include "commands/commands.hpp"

namespace penstock::cli {

ExitCode run_version(const Settings& settings) {
  if (settings.json()) {
    print(Json::object().set("version", kVersion));
  } else {
    print_text(fmt::format("penstock {}\n", kVersion));
  }
  return ExitCode::done;
}

}  // namespace penstock::cli

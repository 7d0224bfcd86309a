// `penstock setup`: creates or upgrades the tables, or only checks them.
#include <fmt/format.h>

#include "commands/commands.hpp"

namespace penstock::cli {

ExitCode run_setup(const Settings& settings, const SetupOptions& options) {
  const auto store = open(settings);
  store->bus().setup(options.mode);
  const std::string name = store->bus().capabilities().store;
  if (settings.json()) {
    print(Json::object().set("store", name).set("current", true));
  } else {
    print_text(fmt::format("The tables of the {} store are current.\n", name));
  }
  return ExitCode::done;
}

}  // namespace penstock::cli

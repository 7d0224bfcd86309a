// `penstock demo`: the command, apart from its machinery in demo/.
#pragma once

#include <cstdint>
#include <string>

#include "settings.hpp"

namespace penstock::cli {

struct DemoOptions {
  std::size_t events = 2000;
  int workers = 3;
  int kills = 3;
  std::uint64_t seed = 1;
  std::string input{};  ///< A file of NDJSON; empty: the webhooks built in.
  int server_restarts = 0;
  std::string restart_command{};
};
ExitCode run_demo(const Settings& settings, const DemoOptions& options);

}  // namespace penstock::cli

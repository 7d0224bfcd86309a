// One run of the demo: publish, kill, replace, wait, audit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "demo/auditor.hpp"
#include "output/progress.hpp"
#include "penstock/bus_store.hpp"

namespace penstock::cli::demo {

struct RunOptions {
  std::string db{};
  std::size_t events = 2000;
  int workers = 3;
  int kills = 3;
  int server_restarts = 0;
  std::string restart_command{};  ///< For the shell: kills the database server, starts it again.
  std::uint64_t seed = 1;
  std::string input{};  ///< NDJSON.
};

struct RunResult {
  Verdict verdict{};
  std::string store{};
  std::string url{};  ///< Where its tables are.
  std::int64_t published = 0;
  std::int64_t handlers = 0;
  std::int64_t kills = 0;
  std::int64_t kills_in_flight = 0;
  std::int64_t crashes = 0;   ///< Workers that ended by themselves: the poison handler's doing.
  std::int64_t failures = 0;  ///< Attempts that the flaky handler failed.
  std::int64_t takeovers = 0;
  std::int64_t server_restarts = 0;
  double seconds = 0;
  std::vector<DeliveryInfo> dead{};  ///< The first of them.
};

/// Throws: usage (a database that is not the demo's), unavailable, schema.
[[nodiscard]] RunResult run(const RunOptions& options, Progress& progress);

}  // namespace penstock::cli::demo

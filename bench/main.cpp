// penstock-bench: reads the arguments, measures, and prints tables. Exits with 6 where a run was
// not exact or failed, 1 where nothing could be measured.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <penstock/version.hpp>
#include <string>
#include <thread>
#include <vector>

#include "harness/worker.hpp"
#include "own_server.hpp"
#ifdef PENSTOCK_BENCH_BASELINE
#include "pages/command.hpp"
#endif
#include "peers/survey.hpp"
#include "report/json.hpp"
#include "report/peers.hpp"
#include "report/pressure_table.hpp"
#include "report/table.hpp"
#include "scenarios/pressure.hpp"
#include "scenarios/scenarios.hpp"
#include "scenarios/suites.hpp"
#include "scenarios/targets.hpp"
#include "throughput/command.hpp"

namespace penstock::bench {
namespace {

constexpr int kNotExact = 6;
constexpr std::uint32_t kUsualPreload = 200'000;

const std::map<std::string, Contender> kContenders{{"penstock", Contender::penstock},
                                                   {"baseline", Contender::baseline},
                                                   {"floor", Contender::floor},
                                                   {"pgq", Contender::pgq},
                                                   {"graphile", Contender::graphile}};
constexpr char kOverload[] = "overload";
const std::map<std::string, Keys> kKeyNames{
    {"none", Keys::none}, {"two_hundred", Keys::two_hundred}, {"one", Keys::one}};

/// Takes those out of the contenders that cannot be had here, and says so at once.
Survey survey_peers(Settings& settings) {
  std::vector<Layout> wanted;
  wanted.reserve(settings.contenders.size());
  for (const Contender one : settings.contenders) wanted.push_back(layout_of(one));
  Survey survey = look_for_peers(wanted, settings.url);
  std::erase_if(settings.contenders,
                [&](Contender one) { return survey.is_absent(layout_of(one)); });
  print_absent(std::cerr, survey);
  return survey;
}

/// What a scenario can be told. Lists: one line of the table for each combination.
struct Arguments {
  Settings settings{.contenders = {Contender::penstock, Contender::baseline, Contender::floor}};
  double window_seconds = 5;
  double held_seconds = 20;
  std::string json{};
  std::vector<std::size_t> processes{1};
  std::vector<std::string> configs{"defaults", "tuned"};
  std::vector<double> rates{1'000};
  std::uint32_t preloaded = 0;  ///< 0: as much as is usual for the scenario.
  Keys keys = Keys::none;
  std::string filter{};
  std::string base{};  ///< With `candidate`: programs to be compared, instead of contenders.
  std::string candidate{};
  Survey peers{};
};

using Lines = std::vector<Line>;

std::uint32_t preloaded_or(const Arguments& arguments, std::uint32_t usual) {
  return arguments.preloaded > 0 ? arguments.preloaded : usual;
}
using Measure = Lines (*)(const Arguments&);

Lines measure_dispatch(const Arguments& arguments) {
  Lines lines;
  for (const std::size_t processes : arguments.processes) {
    for (const std::string& name : arguments.configs) {
      lines.push_back(
          dispatch_line(arguments.settings, {.config = dispatch_config(name),
                                             .processes = processes,
                                             .preloaded = preloaded_or(arguments, kUsualPreload),
                                             .keys = arguments.keys}));
    }
  }
  return lines;
}

Lines measure_hot_key(const Arguments& arguments) {
  Lines lines;
  for (const std::string& name : arguments.configs) {
    lines.push_back(
        hot_key_line(arguments.settings, {.config = dispatch_config(name),
                                          .processes = arguments.processes.front(),
                                          .preloaded = preloaded_or(arguments, kUsualPreload)}));
  }
  return lines;
}

Lines measure_publish(const Arguments& arguments) {
  Lines lines;
  for (const PublishConfig& config : kPublishConfigs) {
    if (config.name.find(arguments.filter) == std::string_view::npos) continue;
    lines.push_back(publish_line(arguments.settings, config));
  }
  return lines;
}

Lines measure_mixed(const Arguments& arguments) {
  Lines lines;
  for (const std::string& name : arguments.configs) {
    MixedLine what{.config = dispatch_config(name), .processes = arguments.processes.front()};
    for (const double rate : arguments.rates) {
      what.rate = rate;
      lines.push_back(rate > 0 ? mixed_line(arguments.settings, what)
                               : greatest_rate_line(arguments.settings, what));
    }
  }
  return lines;
}

Lines measure_held(const Arguments& arguments) {
  Lines lines;
  const std::chrono::milliseconds held(std::lround(arguments.held_seconds * 1'000));
  for (const std::string& name : arguments.configs) {
    lines.push_back(
        held_transaction_line(arguments.settings, {.config = dispatch_config(name),
                                                   .processes = arguments.processes.front(),
                                                   .preloaded = arguments.preloaded,
                                                   .held = held}));
  }
  return lines;
}

bool is_wanted(const Arguments& arguments, std::string_view name) {
  return name.find(arguments.filter) != std::string_view::npos;
}

Lines measure_pressure(const Arguments& arguments) {
  Lines lines;
  const std::chrono::milliseconds held(std::lround(arguments.held_seconds * 1'000));
  const std::size_t processes = arguments.processes.front();
  for (const std::string& name : arguments.configs) {
    const DispatchConfig& config = dispatch_config(name);
    for (const Pressure pressure : kPressures) {
      if (!is_wanted(arguments, to_string(pressure))) continue;
      if (pressure == Pressure::server_restart && arguments.settings.restart_command.empty()) {
        std::cerr << "server restarted: left out, it needs --restart-command\n";
        continue;
      }
      lines.push_back(pressure_line(arguments.settings, {.pressure = pressure,
                                                         .config = config,
                                                         .processes = processes,
                                                         .preloaded = arguments.preloaded,
                                                         .keys = arguments.keys,
                                                         .held = held}));
    }
    if (!is_wanted(arguments, kOverload)) continue;
    lines.push_back(overload_line(arguments.settings,
                                  {.config = config, .processes = processes, .held = held}));
  }
  if (lines.empty()) throw std::runtime_error("no pressure is called " + arguments.filter);
  return lines;
}

Lines measure_quick(const Arguments& arguments) { return quick_suite(arguments.settings); }
Lines measure_full(const Arguments& arguments) { return full_suite(arguments.settings); }

int report(const Arguments& arguments, const Lines& lines) {
  if (std::ranges::all_of(lines, [](const Line& line) { return line.samples.empty(); })) {
    std::cerr << "penstock-bench: nothing was measured: none of --who takes part in this\n";
    return 1;
  }
  const std::vector<TargetRow> targets = judge_targets(lines);
  std::cout << "penstock " << kVersion << ", " << std::thread::hardware_concurrency()
            << " processors, " << arguments.settings.samples
            << " samples in turn, 256-byte payloads, nothing purged\n\n";
  print_lines(std::cout, lines);
  std::cout << '\n';
  print_pressure(std::cout, lines);
  print_peers(std::cout, arguments.peers);
  if (!targets.empty()) print_targets(std::cout, targets);
  const bool exact = std::ranges::all_of(lines, [](const Line& line) { return line.exact(); });
  std::cout << (exact ? "\nevery run was exact\n" : "\nINVALID: a run was not exact\n");
  if (!arguments.json.empty()) write_json(arguments.json, lines, targets, arguments.peers);
  return exact ? 0 : kNotExact;
}

void add_common(CLI::App& command, Arguments& arguments) {
  command.add_option("--db", arguments.settings.url,
                     "where to measure: any store's URL; else a PostgreSQL of its own, with fsync");
  command.add_option("--samples", arguments.settings.samples, "of each contender, in turn")
      ->check(CLI::Range(1, 100));
  command.add_option("--window", arguments.window_seconds, "seconds")->check(CLI::PositiveNumber);
  command
      .add_option("--who", arguments.settings.contenders,
                  "penstock, baseline, floor; of peers on the same server: pgq, graphile")
      ->delimiter(',')
      ->transform(CLI::CheckedTransformer(kContenders));
  command.add_option("--json", arguments.json, "write every sample to this file too");
  CLI::Option* const base =
      command
          .add_option("--base", arguments.base, "another build of this program, to compare with")
          ->check(CLI::ExistingFile);
  CLI::Option* const candidate =
      command.add_option("--candidate", arguments.candidate, "the build that is compared")
          ->check(CLI::ExistingFile)
          ->needs(base);
  base->needs(candidate);
  command
      .add_option("--restart-command", arguments.settings.restart_command,
                  "for the shell: kills the database server and starts it again")
      ->envname("PENSTOCK_BENCH_RESTART_COMMAND");
}

/// Two programs instead of the contenders, where they are given.
void compare_programs(Arguments& arguments) {
  if (arguments.base.empty()) return;
  arguments.settings.contenders = {Contender::base, Contender::candidate};
  arguments.settings.programs = {
      {Contender::base, std::filesystem::absolute(arguments.base)},
      {Contender::candidate, std::filesystem::absolute(arguments.candidate)}};
}

CLI::App* add_scenario(CLI::App& app, Arguments& arguments, const char* name,
                       const char* description) {
  CLI::App* const command = app.add_subcommand(name, description);
  add_common(*command, arguments);
  if (std::string_view(name) == "publish") {
    command->add_option("--only", arguments.filter, "configurations with this in their name");
    return command;
  }
  command->add_option("--processes", arguments.processes, "of dispatchers")->delimiter(',');
  command
      ->add_option("--configs", arguments.configs, "defaults, 10/50, 50/50, 50/200, tuned, tuned+")
      ->delimiter(',');
  if (std::string_view(name) == "mixed") {
    command->add_option("--rates", arguments.rates, "offered per second; 0: the greatest held")
        ->delimiter(',');
    return command;
  }
  command->add_option("--preload", arguments.preloaded, "events published before the window");
  if (std::string_view(name) == "dispatch" || std::string_view(name) == kPressure) {
    command->add_option("--keys", arguments.keys, "none, two_hundred, one")
        ->transform(CLI::CheckedTransformer(kKeyNames));
  }
  if (std::string_view(name) == "held-transaction" || std::string_view(name) == kPressure) {
    command->add_option("--held", arguments.held_seconds, "seconds")->check(CLI::PositiveNumber);
  }
  if (std::string_view(name) == kPressure) {
    command->add_option("--only", arguments.filter, "pressures with this in their name");
  }
  return command;
}

struct Scenario {
  const char* name;
  const char* description;
  Measure measure;
};
constexpr std::array<Scenario, 6> kScenarios{{
    {"dispatch", "how fast what was published is handled", measure_dispatch},
    {"publish", "how fast events are published", measure_publish},
    {"mixed", "both at an offered rate: latency and backlog", measure_mixed},
    {"hot-key", "dispatch where every delivery has the same key", measure_hot_key},
    {"held-transaction", "dispatch while a transaction is held open", measure_held},
    {kPressure, "dispatch while it is disturbed: by readers, kills, restarts, too much work",
     measure_pressure},
}};

int run_program(int count, char** texts) {
  CLI::App app{"Measures penstock. Every run is checked: what was not exact is no number."};
  app.require_subcommand(1);
  Arguments arguments;
  std::string order;
  ThroughputOptions throughput{.folder = std::filesystem::absolute(texts[0]).parent_path()};
  CostOptions cost;

  std::map<const CLI::App*, Measure> measures;
  for (const Scenario& scenario : kScenarios) {
    measures.emplace(add_scenario(app, arguments, scenario.name, scenario.description),
                     scenario.measure);
  }
  CLI::App* const quick = app.add_subcommand("quick", "the rows of the targets, in ten minutes");
  CLI::App* const full = app.add_subcommand("full", "every configuration of every scenario");
  add_common(*quick, arguments);
  add_common(*full, arguments);
  measures.emplace(quick, measure_quick);
  measures.emplace(full, measure_full);
  CLI::App* const old = app.add_subcommand("throughput", "memory and SQLite beside a bare loop");
  old->add_option("--samples", throughput.samples)->check(CLI::Range(1, 100));
  old->add_option("--store", throughput.store)->check(CLI::IsMember({"memory", "sqlite", "all"}));
  old->add_option("--folder", throughput.folder,
                  "where the database files go; on the disk to be measured");
  CLI::App* const server = app.add_subcommand("cost", "what a delivery costs a PostgreSQL server");
  server->add_option("--db", cost.db, "postgresql://…; else a server of its own, with fsync");
  server->add_option("--samples", cost.samples)->check(CLI::Range(1, 100));
#ifdef PENSTOCK_BENCH_BASELINE
  CLI::App* const pages = app.add_subcommand(
      "pages", "what one delivery leaves on the pages of PostgreSQL, beside version 0.1.0");
  pages->add_option("--db", arguments.settings.url, "postgresql://…, as a superuser; else its own");
#endif
  CLI::App* const worker =
      app.add_subcommand("work", "one process of a run, started by the others");
  worker->add_option("order", order)->required();
  worker->group("");
  CLI11_PARSE(app, count, texts);

  if (worker->parsed()) {
    work(order);
    return 0;
  }
  if (old->parsed()) return run_throughput(throughput);
  const bool has_db = !(server->parsed() ? cost.db : arguments.settings.url).empty();
  if (!has_db) start_again_with_own_server(texts);
  if (server->parsed()) return run_cost(cost);
#ifdef PENSTOCK_BENCH_BASELINE
  if (pages->parsed()) return compare_pages(arguments.settings.url) ? 0 : kNotExact;
#endif

  arguments.settings.window =
      std::chrono::milliseconds(std::lround(arguments.window_seconds * 1'000));
  arguments.settings.progress = &std::cerr;
  if (full->parsed() && full->count("--who") == 0) {
    arguments.settings.contenders.insert(arguments.settings.contenders.end(), kPeers.begin(),
                                         kPeers.end());
  }
  compare_programs(arguments);
  arguments.peers = survey_peers(arguments.settings);
  for (const auto& [command, measure] : measures) {
    if (command->parsed()) return report(arguments, measure(arguments));
  }
  return 1;
}

}  // namespace
}  // namespace penstock::bench

int main(int argc, char** argv) {
  // A process that died is found out by its exit code.
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  try {
    return penstock::bench::run_program(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "penstock-bench: " << error.what() << '\n';
    return 1;
  }
}

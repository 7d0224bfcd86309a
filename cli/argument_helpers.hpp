// What the declarations of commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "arguments.hpp"
#include "output/text.hpp"

namespace penstock::cli {

/// A command with its own copy of the global options' reach.
inline CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& help,
                             const std::string& example) {
  CLI::App* const command = app.add_subcommand(name, help);
  command->fallthrough();
  command->footer("\n" + example +
                  "\n\nAlso: --db URL, --json, --log-level LEVEL (warning), --log-format FORMAT.");
  return command;
}

inline void add_duration(CLI::App& command, const std::string& name, Duration& target,
                         const std::string& help) {
  command
      .add_option_function<std::string>(
          name,
          [&target, name](const std::string& text) {
            const auto duration = parse_duration(text);
            if (!duration) {
              throw CLI::ValidationError(
                  name,
                  "expected a duration such as 500ms, 30s, 5m, 2h or 7d, found \"" + text + "\"");
            }
            target = *duration;
          },
          help)
      ->type_name("DURATION")
      ->default_str(short_duration(target));
}

/// Keeps `options` alive as long as the command may run.
template <typename Options>
inline void on_chosen(CLI::App* command, Request& request, const std::shared_ptr<Options>& options,
                      ExitCode (*run)(const Settings&, const Options&)) {
  command->callback([&request, options, run] {
    request.command = [options, run](const Settings& settings) { return run(settings, *options); };
  });
}

inline void on_chosen(CLI::App* command, Request& request, ExitCode (*run)(const Settings&)) {
  command->callback([&request, run] { request.command = run; });
}

/// In queue_arguments.cpp: enqueue, work, queues, queue, jobs, dead.
void add_queue_commands(CLI::App& app, Request& request);

}  // namespace penstock::cli

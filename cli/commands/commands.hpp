// The commands: for each its options, filled by the argument parser, and the function that runs it
// in the file of the same name.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "commands/serve.hpp"
#include "input/ndjson_batches.hpp"
#include "penstock/admin.hpp"
#include "settings.hpp"

namespace penstock::cli {

struct SetupOptions {
  SetupMode mode = SetupMode::migrate;
};
ExitCode run_setup(const Settings& settings, const SetupOptions& options);

struct SqlOptions {
  enum class Script { fresh, upgrade, roles } script = Script::fresh;
};
ExitCode run_sql(const Settings& settings, const SqlOptions& options);

ExitCode run_version(const Settings& settings);

struct PublishOptions {
  std::string type{};
  std::string key{};
  std::string id{};
  std::optional<std::string> payload{};
  std::string payload_file{};  ///< "-": stdin.
  std::string content_type{};
  std::vector<std::string> headers{};  ///< name=value
  std::string ndjson{};                ///< FILE or "-".
  OnBadLine on_bad_line = OnBadLine::refuse_all;
};
ExitCode run_publish(const Settings& settings, const PublishOptions& options);

struct HandleOptions {
  std::string handler{};
  std::vector<std::string> types{};  ///< Empty: as they are stored.
  std::string command{};
  Duration snooze = std::chrono::seconds{30};
  Duration timeout{0};
  Duration lease = std::chrono::seconds{30};
  Duration grace = std::chrono::seconds{30};
  std::optional<Duration> retry_delay{};
  std::size_t concurrency = 10;
  std::optional<int> max_attempts{};  ///< Absent: as it is stored, else 25.
  Until until = Until::stopped;
};
ExitCode run_handle(const Settings& settings, const HandleOptions& options);

struct HandlerAddOptions {
  std::string handler{};
  std::vector<std::string> types{};
  int max_attempts = 25;
};
ExitCode run_handlers_list(const Settings& settings);
ExitCode run_handlers_add(const Settings& settings, const HandlerAddOptions& options);
ExitCode run_handlers_change(const Settings& settings, const std::string& handler,
                             SubscriptionState state);

ExitCode run_stats(const Settings& settings);

struct ListOptions {
  std::string status{};
  std::string handler{};
  std::string type{};
  std::string key{};
  std::string event{};
  std::int64_t after = 0;
  std::size_t limit = 100;
};
ExitCode run_list(const Settings& settings, const ListOptions& options);

struct ShowOptions {
  std::string id{};  ///< Of a delivery or of an event.
  enum class Payload { hide, show } payload = Payload::hide;
};
ExitCode run_show(const Settings& settings, const ShowOptions& options);

/// What an operator's action is about: one id, or a handler, or everything it can apply to.
struct SelectionOptions {
  std::string id{};
  std::string handler{};
  bool all = false;
};
/// Throws: usage, where it selects nothing or is contradictory.
[[nodiscard]] Selection selection_of(const SelectionOptions& options);

struct RequeueOptions {
  SelectionOptions selection{};
};
ExitCode run_requeue(const Settings& settings, const RequeueOptions& options);

struct BuryOptions {
  SelectionOptions selection{};
  std::string reason = "buried by an operator";
};
ExitCode run_bury(const Settings& settings, const BuryOptions& options);

struct PurgeOptions {
  Retention retention{};
};
ExitCode run_purge(const Settings& settings, const PurgeOptions& options);

struct LanesOptions {
  enum class Which { held, all } which = Which::held;
};
ExitCode run_lanes(const Settings& settings, const LanesOptions& options);

ExitCode run_pages(const Settings& settings);

}  // namespace penstock::cli

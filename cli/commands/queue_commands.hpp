// The commands of the queue: for each its options, and the function that runs it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "commands/serve.hpp"
#include "input/ndjson_batches.hpp"
#include "penstock/queue_store.hpp"
#include "settings.hpp"

namespace penstock::cli {

struct EnqueueOptions {
  std::string queue{};
  std::string kind{};
  std::optional<std::string> payload{};
  std::string payload_file{};  ///< "-": stdin.
  int priority = 2;
  std::string key{};
  std::string run_at{};
  std::string delay{};
  int max_attempts = 25;
  std::string unique_key{};
  std::vector<std::string> unique_states{};  ///< Empty: until it has ended.
  std::string deadline{};
  std::string content_type{};
  std::vector<std::string> headers{};  ///< name=value
  std::string ndjson{};                ///< FILE or "-".
  OnBadLine on_bad_line = OnBadLine::refuse_all;
};
ExitCode run_enqueue(const Settings& settings, const EnqueueOptions& options);

struct WorkOptions {
  std::vector<std::string> queues{};
  std::vector<std::string> kinds{};
  std::string command{};
  Duration snooze = std::chrono::seconds{30};
  Duration deadline = std::chrono::minutes{5};
  Duration lease = std::chrono::seconds{30};
  Duration grace = std::chrono::seconds{30};
  std::optional<Duration> retry_delay{};
  std::size_t concurrency = 10;
  double rate = 0;
  Until until = Until::stopped;
};
ExitCode run_work(const Settings& settings, const WorkOptions& options);

ExitCode run_queues(const Settings& settings);

struct QueueSetOptions {
  std::string queue{};
  std::optional<int> shards{};
  std::optional<bool> paused{};
};
ExitCode run_queue_set(const Settings& settings, const QueueSetOptions& options);

struct JobsListOptions {
  std::string state = "ready";
  std::string queue{};
  std::string kind{};
  std::int64_t after = 0;
  std::size_t limit = 100;
};
ExitCode run_jobs_list(const Settings& settings, const JobsListOptions& options);

struct JobsShowOptions {
  std::int64_t id = 0;
  bool payload = false;
};
ExitCode run_jobs_show(const Settings& settings, const JobsShowOptions& options);

struct JobsChangeOptions {
  std::vector<std::int64_t> ids{};
  std::string reason = "buried by an operator";
  std::string queue{};
  std::optional<int> priority{};
};
ExitCode run_jobs_cancel(const Settings& settings, const JobsChangeOptions& options);
ExitCode run_jobs_bury(const Settings& settings, const JobsChangeOptions& options);
ExitCode run_jobs_move(const Settings& settings, const JobsChangeOptions& options);
ExitCode run_jobs_requeue(const Settings& settings, const JobsChangeOptions& options);

struct DeadOptions {
  std::vector<std::int64_t> ids{};
  std::string queue{};
  std::string kind{};
  bool all = false;
  bool dry_run = false;
};
ExitCode run_dead_requeue(const Settings& settings, const DeadOptions& options);
ExitCode run_dead_purge(const Settings& settings, const DeadOptions& options);

}  // namespace penstock::cli

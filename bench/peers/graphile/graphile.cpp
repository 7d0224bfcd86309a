// See graphile.hpp.
#include "graphile.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "harness/session.hpp"
#include "peers/connection.hpp"

namespace penstock::bench {
namespace {

constexpr char kFolder[] = PENSTOCK_BENCH_GRAPHILE_FOLDER;
constexpr char kInstall[] = PENSTOCK_BENCH_GRAPHILE_SOURCE "/install.sh";

constexpr char kRemove[] = "drop schema if exists penstock_bench_graphile cascade";
constexpr char kAnalyze[] = "analyze penstock_bench_graphile._private_jobs";
constexpr char kAddJobs[] = R"(
select count(*) from penstock_bench_graphile.add_jobs(array(
  select row('bench', data::json, null, null, null, null, null, null)::penstock_bench_graphile.job_spec
  from unnest($1::text[]) data)))";
constexpr char kLeft[] = R"(
select count(*) filter (where attempts < max_attempts),
       count(*) filter (where attempts >= max_attempts)
from penstock_bench_graphile._private_jobs)";

std::string worker_program() { return std::string(kFolder) + "/worker.mjs"; }

struct Ended {
  int code = -1;
  std::string said{};  ///< On both outputs.
};

/// Runs a program to its end.
Ended run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "a pipe");
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t pid = 0;
  const int error =
      ::posix_spawnp(&pid, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  Ended ended;
  std::array<char, 4096> part{};
  ssize_t size = 0;
  while (error == 0 && (size = ::read(ends[0], part.data(), part.size())) != 0) {
    if (size > 0) {
      ended.said.append(part.data(), static_cast<std::size_t>(size));
    } else if (errno != EINTR) {
      break;
    }
  }
  ::close(ends[0]);
  if (error != 0) throw std::system_error(error, std::generic_category(), words.front());
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  while (ended.said.ends_with('\n')) ended.said.pop_back();
  return ended;
}

class Graphile final : public Peer {
 public:
  explicit Graphile(std::string url) : url_(std::move(url)) {}

  void make_tables() override {
    const Ended setup = run_program({"node", worker_program(), "setup", url_});
    if (setup.code != 0) throw std::runtime_error("graphile-worker's setup: " + setup.said);
  }

  void remove_tables() override { Session(url_).row(kRemove); }

  PublishCall publisher() override {
    // Shared by the copies of a std::function, of which one thread uses one.
    const auto connection = std::make_shared<PeerConnection>(url_);
    connection->prepare("add_jobs", kAddJobs);
    return [connection](std::span<const Event> events) {
      connection->run_prepared("add_jobs", events);
    };
  }

  void tick() override {}  // It has no daemon.

  /// As autovacuum would, some time in the next minute. Until the planner knows how large the table
  /// is, each claim sorts all of it: 2,000 jobs/s instead of 20,000.
  void settle() override { Session(url_).row(kAnalyze); }

  /// This process becomes the worker: its inputs, outputs and id stay.
  void dispatch(const std::filesystem::path& order) override {
    // Else it would print a line for each job.
    ::setenv("NO_LOG_SUCCESS", "1", 1);  // NOLINT(concurrency-mt-unsafe): no other thread runs.
    ::execlp("node", "node", worker_program().c_str(), "work", order.c_str(), nullptr);
    throw std::system_error(errno, std::generic_category(), "node");
  }

  Leftover leftover() override {
    const std::vector<std::string> row = Session(url_).row(kLeft);
    return {.pending = std::strtoll(row.at(0).c_str(), nullptr, 10),
            .dead = std::strtoll(row.at(1).c_str(), nullptr, 10)};
  }

 private:
  std::string url_;
};

}  // namespace

std::unique_ptr<Peer> open_graphile(const std::string& url) {
  return std::make_unique<Graphile>(url);
}

PresentPeer find_graphile(const std::string& url) {
  static_cast<void>(Session(url));  // That it needs the server is said first.
  const Ended installed = run_program({kInstall, kFolder});
  if (installed.code != 0) throw std::runtime_error(installed.said);
  constexpr GraphileConfig kConfig;
  return {.peer = Layout::graphile,
          .name = "graphile-worker",
          .version = installed.said.substr(installed.said.rfind('\n') + 1),
          .payload = "256 bytes of json",
          .publish = "add_jobs by SQL, one statement and commit a batch",
          .batch = std::to_string(kConfig.local_queue) + " jobs for " +
                   std::to_string(kConfig.concurrency) + " at once (localQueue), from " +
                   std::to_string(kConfig.connections) + " connections a process",
          .acknowledged = "each job, those of one turn in one statement (completeJobBatchDelay 0)"};
}

}  // namespace penstock::bench

// Workers are this same program, started again from /proc/self/exe.
#include "demo/fleet.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "penstock/error.hpp"

extern char** environ;

namespace penstock::cli::demo {
namespace {

using Clock = std::chrono::steady_clock;

bool has_ended(pid_t pid) {
  int status = 0;
  return ::waitpid(pid, &status, WNOHANG) == pid;
}

/// False where it ended instead.
bool stop_and_wait(pid_t pid) {
  ::kill(pid, SIGSTOP);
  int status = 0;
  while (::waitpid(pid, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  return WIFSTOPPED(status);
}

void kill_and_wait(pid_t pid) {
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Fleet::Fleet(FleetOptions options) : options_(std::move(options)), random_(options_.seed) {
  for (int i = 0; i < options_.size; ++i) workers_.push_back(start());
}

Fleet::~Fleet() {
  for (const Worker& worker : workers_) kill_and_wait(worker.pid);
}

Fleet::Worker Fleet::start() {
  Worker worker{.number = next_number_++};
  const std::string number = std::to_string(worker.number);
  const std::array<const char*, 9> arguments{
      "penstock", "demo-worker",  "--db", options_.db.c_str(), "--folder", options_.folder.c_str(),
      "--number", number.c_str(), nullptr};
  const std::string log = fmt::format("{}/worker-{}.log", options_.folder, number);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
  const int error = ::posix_spawn(&worker.pid, "/proc/self/exe", &actions, nullptr,
                                  const_cast<char**>(arguments.data()), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw Error(ErrorKind::unavailable, std::string{"a worker process cannot be started: "} +
                                            std::generic_category().message(error));
  }
  return worker;
}

Fleet::Kill Fleet::kill_one(Aim aim, const std::function<bool(const std::string&)>& has_work) {
  std::ranges::shuffle(workers_, random_);
  for (Worker& worker : workers_) {
    if (!stop_and_wait(worker.pid)) {
      ++crashes_;
      worker = start();
      continue;
    }
    const bool is_busy = has_work(worker_name(worker.number));
    if (!is_busy && aim == Aim::busy_only) {
      ::kill(worker.pid, SIGCONT);
      continue;
    }
    kill_and_wait(worker.pid);
    worker = start();
    return is_busy ? Kill::in_flight : Kill::idle;
  }
  return Kill::none;
}

void Fleet::replace_fallen() {
  for (Worker& worker : workers_) {
    if (!has_ended(worker.pid)) continue;
    ++crashes_;
    worker = start();
  }
}

void Fleet::stop() {
  for (const Worker& worker : workers_) ::kill(worker.pid, SIGTERM);
  const auto deadline = Clock::now() + std::chrono::seconds{10};
  while (!workers_.empty() && Clock::now() < deadline) {
    std::erase_if(workers_, [](const Worker& worker) { return has_ended(worker.pid); });
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  for (const Worker& worker : workers_) kill_and_wait(worker.pid);
  workers_.clear();
}

}  // namespace penstock::cli::demo

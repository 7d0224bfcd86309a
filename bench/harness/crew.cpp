// A process says "ready" on its standard output, and begins at the time that it is told on its
// standard input, whose end tells it to end: also where the harness itself has died.
#include "harness/crew.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

namespace penstock::bench {
namespace {

using Steady = std::chrono::steady_clock;
constexpr std::chrono::seconds kReadyPatience{60};
constexpr std::chrono::milliseconds kLook{2};

[[noreturn]] void fail_with_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_with_errno("a pipe");
    read = ends[0];
    write = ends[1];
  }
  int read = -1;
  int write = -1;
};

void close_once(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Crew::~Crew() {
  for (Member& member : members_) member.kill();
}

void Crew::Member::kill() {
  close_once(input);
  close_once(output);
  if (pid <= 0) return;
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid = 0;
}

void Crew::start(WorkOrder order) {
  const std::string name =
      std::to_string(members_.size()) + (order.publishes() ? "-publish" : "-dispatch");
  order.journal = folder_ / (name + ".journal");
  const std::filesystem::path path = folder_ / (name + ".order");
  write_order(order, path);
  Journal::create(order.journal);
  Member& member = members_.emplace_back();
  member.log = folder_ / (name + ".log");
  member.journal = std::make_unique<Journal>(order.journal);
  member.order = std::move(order);

  Pipe input;
  Pipe output;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, member.log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const std::string file = path.string();
  const std::array<const char*, 4> arguments{"penstock-bench", "work", file.c_str(), nullptr};
  const std::string program =
      member.order.program.empty() ? "/proc/self/exe" : member.order.program.string();
  const int error = ::posix_spawn(&member.pid, program.c_str(), &actions, nullptr,
                                  const_cast<char**>(arguments.data()), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  close_once(input.read);
  close_once(output.write);
  member.input = input.write;
  member.output = output.read;
  if (error != 0) {
    member.pid = 0;
    throw std::system_error(error, std::generic_category(), "cannot start " + program);
  }
}

void Crew::await_ready() {
  const auto deadline = Steady::now() + kReadyPatience;
  for (const Member& member : members_) await_ready(member, deadline);
}

void Crew::await_ready(const Member& member, Steady::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Steady::now());
  pollfd readable{.fd = member.output, .events = POLLIN, .revents = 0};
  const int timeout = static_cast<int>(std::max<std::int64_t>(0, left.count()));
  if (::poll(&readable, 1, timeout) != 1) fail(member, "is not ready");
  std::array<char, 16> said{};
  if (::read(member.output, said.data(), said.size()) <= 0) fail(member, "ended early");
}

void Crew::begin(const Start& start) {
  for (const Member& member : members_) {
    begin(member, member.order.publishes() ? start.publishers_ns : start.dispatchers_ns);
  }
}

void Crew::begin(const Member& member, std::int64_t at_ns) {
  const std::string line = std::to_string(at_ns) + "\n";
  if (::write(member.input, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    fail(member, "cannot be told to begin");
  }
}

void Crew::replace_dispatcher() {
  const auto oldest = std::ranges::find_if(
      members_, [](const Member& member) { return member.pid > 0 && !member.order.publishes(); });
  if (oldest == members_.end()) throw std::runtime_error("there is no dispatcher to kill");
  oldest->kill();
  start(oldest->order);
  await_ready(members_.back(), Steady::now() + kReadyPatience);
  begin(members_.back(), now_ns());
}

void Crew::await_publishers(std::chrono::seconds patience) {
  const auto deadline = Steady::now() + patience;
  for (Member& member : members_) {
    if (member.order.publishes()) await_end(member, deadline);
  }
}

void Crew::end(std::chrono::seconds patience) {
  for (Member& member : members_) close_once(member.input);
  const auto deadline = Steady::now() + patience;
  for (Member& member : members_) await_end(member, deadline);
}

void Crew::await_end(Member& member, Steady::time_point deadline) {
  if (member.pid <= 0) return;
  int status = 0;
  while (::waitpid(member.pid, &status, WNOHANG) == 0) {
    if (Steady::now() > deadline) fail(member, "does not end");
    std::this_thread::sleep_for(kLook);
  }
  member.pid = 0;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail(member, "failed");
}

void Crew::fail(const Member& member, const char* what) {
  throw std::runtime_error("the process of " + member.log.string() + " " + what + ": " +
                           text_of(member.log));
}

std::uint64_t Crew::count_of(bool publishers) const {
  std::uint64_t count = 0;
  for (const Member& member : members_) {
    if (member.order.publishes() == publishers) count += member.journal->count();
  }
  return count;
}

std::vector<Record> Crew::records_of(bool publishers) const {
  std::vector<Record> all;
  for (const Member& member : members_) {
    if (member.order.publishes() != publishers) continue;
    const std::vector<Record> records = member.journal->records();
    all.insert(all.end(), records.begin(), records.end());
  }
  return all;
}

std::uint64_t Crew::published() const { return count_of(true); }
std::uint64_t Crew::handled() const { return count_of(false); }
std::vector<Record> Crew::published_records() const { return records_of(true); }
std::vector<Record> Crew::handled_records() const { return records_of(false); }

}  // namespace penstock::bench

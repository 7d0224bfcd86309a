// One poll loop over four things: the command's end (pidfd), its stdin, its stderr, and the stop.
#include "process/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>

#include "process/descriptor.hpp"

extern char** environ;

namespace penstock::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kTailBytes = 8 * 1024;
// Without a pidfd (an old kernel) or without the event of a stop (no descriptor was left for it),
// both are looked for this often.
constexpr int kPollWithoutEventsMs = 20;

struct Pipe {
  Descriptor read{};
  Descriptor write{};
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

/// Our environment with `variables` in place of their namesakes.
std::vector<const char*> environment_with(const std::vector<std::string>& variables) {
  std::vector<const char*> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const bool is_replaced = std::ranges::any_of(variables, [text](const std::string& variable) {
      return text.starts_with(std::string_view{variable}.substr(0, variable.find('=') + 1));
    });
    if (!is_replaced) result.push_back(*entry);
  }
  for (const std::string& variable : variables) result.push_back(variable.c_str());
  result.push_back(nullptr);
  return result;
}

/// 0, or the error number.
int spawn(const CommandRun& run, const Pipe& input, const Pipe& errors, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, input.read.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors.write.get(), STDERR_FILENO);

  // This process blocks the signals it waits for and ignores SIGPIPE; the command shall not. A
  // shell with SIGCHLD ignored would not learn how its own commands end.
  sigset_t none;
  sigset_t to_default;
  ::sigemptyset(&none);
  ::sigemptyset(&to_default);
  for (const int signal : {SIGPIPE, SIGTERM, SIGINT, SIGCHLD}) ::sigaddset(&to_default, signal);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &to_default);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  const std::array<const char*, 4> arguments{"/bin/sh", "-c", run.command.c_str(), nullptr};
  const std::vector<const char*> environment = environment_with(run.variables);
  // posix_spawn takes char* for reasons of history and changes none of them.
  const int error =
      ::posix_spawn(&child, "/bin/sh", &actions, &attributes, const_cast<char**>(arguments.data()),
                    const_cast<char**>(environment.data()));
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// The process groups that must not outlive this program.
class Groups {
 public:
  void add(pid_t leader) {
    const std::scoped_lock lock{mutex_};
    leaders_.insert(leader);
  }
  /// waitpid, which gives the number free for others: not while `kill_all` looks.
  pid_t wait(pid_t leader, int& status) {
    const std::scoped_lock lock{mutex_};
    const pid_t result = ::waitpid(leader, &status, WNOHANG);
    if (result != 0) leaders_.erase(leader);
    return result;
  }
  void kill_all() {
    const std::scoped_lock lock{mutex_};
    for (const pid_t leader : leaders_) ::kill(-leader, SIGKILL);
  }

 private:
  std::mutex mutex_;
  std::set<pid_t> leaders_;
};

Groups& groups() {
  static Groups all;
  return all;
}

/// One running command and our ends of its pipes.
class Running {
 public:
  Running(pid_t child, std::string_view input, Descriptor stdin_end, Descriptor stderr_end)
      : child_(child),
        pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, child, 0))),
        stop_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        input_(input),
        stdin_(std::move(stdin_end)),
        stderr_(std::move(stderr_end)) {
    ::fcntl(stdin_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(stderr_.get(), F_SETFL, O_NONBLOCK);
  }

  CommandEnd run_to_end(const std::stop_token& stop, const std::function<StopManner()>& manner) {
    const std::stop_callback wake{stop, [this] {
                                    const std::uint64_t one = 1;
                                    [[maybe_unused]] const auto written =
                                        ::write(stop_event_.get(), &one, sizeof one);
                                  }};
    for (;;) {
      if (const std::optional<CommandEnd> end = look_for_end()) return *end;
      if (stop.stop_requested() && !kill_at_) begin_stop(manner());
      if (kill_at_ && Clock::now() >= *kill_at_) ::kill(-child_, SIGKILL);
      wait_for_something();
    }
  }

 private:
  void begin_stop(StopManner manner) {
    kill_at_ = Clock::now();
    if (manner == StopManner::kill_at_once) return;
    *kill_at_ += kTerminationGrace;
    ::kill(-child_, SIGTERM);
  }

  /// Empty while the command runs.
  std::optional<CommandEnd> look_for_end() {
    int status = 0;
    pid_t result = 0;
    do {
      result = groups().wait(child_, status);
    } while (result < 0 && errno == EINTR);
    if (result == 0) return std::nullopt;
    const int error = result < 0 ? errno : 0;
    // What the command left behind in its group would outlive a stop unseen.
    if (kill_at_) ::kill(-child_, SIGKILL);
    read_errors();
    return error == 0 ? end_of(status) : unknown_end(error);
  }

  void wait_for_something() {
    write_input();
    std::array<pollfd, 4> polled{{{pidfd_.get(), POLLIN, 0},
                                  {kill_at_ ? -1 : stop_event_.get(), POLLIN, 0},
                                  {stderr_.get(), POLLIN, 0},
                                  {stdin_.get(), POLLOUT, 0}}};
    int timeout_ms = pidfd_.is_open() && stop_event_.is_open() ? -1 : kPollWithoutEventsMs;
    if (kill_at_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*kill_at_ - Clock::now());
      const int left_ms = static_cast<int>(std::max<std::int64_t>(left.count(), 1));
      timeout_ms = timeout_ms < 0 ? left_ms : std::min(timeout_ms, left_ms);
    }
    ::poll(polled.data(), polled.size(), timeout_ms);
    if (polled[2].revents != 0) read_errors();
  }

  void write_input() {
    while (stdin_.is_open()) {
      if (input_.empty()) {
        stdin_.close();  // The command sees the end of its input.
        return;
      }
      const ssize_t written = ::write(stdin_.get(), input_.data(), input_.size());
      if (written >= 0) {
        input_.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno == EAGAIN) {
        return;
      } else if (errno != EINTR) {
        stdin_.close();  // EPIPE: a command need not read its input.
      }
    }
  }

  void read_errors() {
    std::array<char, 4096> buffer{};
    while (stderr_.is_open()) {
      const ssize_t got = ::read(stderr_.get(), buffer.data(), buffer.size());
      if (got > 0) {
        const auto size = static_cast<std::size_t>(got);
        [[maybe_unused]] const auto passed_on = ::write(STDERR_FILENO, buffer.data(), size);
        tail_.append(buffer.data(), size);
        if (tail_.size() > 2 * kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
      } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        stderr_.close();
      } else if (errno == EAGAIN) {
        return;
      }
    }
  }

  CommandEnd end_of(int status) {
    if (tail_.size() > kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
    while (!tail_.empty() && (tail_.back() == '\n' || tail_.back() == '\r')) tail_.pop_back();
    CommandEnd end{.error_tail = std::move(tail_)};
    if (WIFEXITED(status)) {
      // Also after a stop: the command may have done all of its work.
      end.code = WEXITSTATUS(status);
    } else {
      end.how = kill_at_ ? CommandEnd::How::stopped : CommandEnd::How::signalled;
      end.code = WTERMSIG(status);
    }
    return end;
  }

  /// Somebody else waited for our child, so its exit code is gone. It must never count as 0.
  static CommandEnd unknown_end(int error) {
    return {.how = CommandEnd::How::unknown,
            .code = error,
            .error_tail = std::generic_category().message(error)};
  }

  pid_t child_;
  Descriptor pidfd_;
  Descriptor stop_event_;
  std::string_view input_;
  Descriptor stdin_;
  Descriptor stderr_;
  std::string tail_{};
  std::optional<Clock::time_point> kill_at_{};
};

CommandEnd not_started(int error) {
  return {.how = CommandEnd::How::not_started,
          .code = error,
          .error_tail = std::generic_category().message(error)};
}

}  // namespace

CommandEnd run_command(const CommandRun& run, const std::stop_token& stop,
                       const std::function<StopManner()>& manner) {
  if (stop.stop_requested()) return {.how = CommandEnd::How::stopped};
  std::optional<Pipe> input = make_pipe();
  std::optional<Pipe> errors = make_pipe();
  if (!input || !errors) return not_started(errno);
  pid_t child = 0;
  if (const int error = spawn(run, *input, *errors, child); error != 0) return not_started(error);
  // Ours to close: the command's end of stderr would otherwise never see its end.
  input->read.close();
  errors->write.close();
  groups().add(child);
  Running running{child, run.input, std::move(input->write), std::move(errors->read)};
  return running.run_to_end(stop, manner);
}

bool is_shortage(const CommandEnd& end) noexcept {
  if (end.how != CommandEnd::How::not_started) return false;
  return end.code == EMFILE || end.code == ENFILE || end.code == EAGAIN || end.code == ENOMEM;
}

void kill_running_commands() { groups().kill_all(); }

}  // namespace penstock::cli

// Pipes with poll for what the program says; inotify for what it does to files.
#include "cli/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace penstock::test {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

std::vector<const char*> environment() {
  std::vector<const char*> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view{*entry}.starts_with("PENSTOCK_")) result.push_back(*entry);
  }
  result.push_back(nullptr);
  return result;
}

/// An unlinked file: it can be as long as it likes and needs nobody who writes it.
cli::Descriptor input_of(const std::string& text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), std::fclose};
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0) {
    throw std::runtime_error("no temporary file");
  }
  std::rewind(file.get());
  return cli::Descriptor{::fcntl(::fileno(file.get()), F_DUPFD_CLOEXEC, 3)};
}

}  // namespace

ProcessLimit::ProcessLimit(int resource, rlim_t most) : resource_(resource) {
  if (::getrlimit(static_cast<__rlimit_resource>(resource_), &before_) != 0) {
    throw std::runtime_error("no such limit");
  }
  const rlimit lower{.rlim_cur = most, .rlim_max = before_.rlim_max};
  if (::setrlimit(static_cast<__rlimit_resource>(resource_), &lower) != 0) {
    throw std::runtime_error("the limit cannot be set");
  }
}

ProcessLimit::~ProcessLimit() { ::setrlimit(static_cast<__rlimit_resource>(resource_), &before_); }

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "penstock-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Program::Program(const Folder& folder, const std::vector<std::string>& arguments,
                 const std::string& input, Errors errors) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe");
  }
  out_ = cli::Descriptor{out[0]};
  err_ = cli::Descriptor{err[0]};
  const cli::Descriptor out_write{out[1]};
  const cli::Descriptor err_write{err[1]};
  const cli::Descriptor in = input_of(input);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out_write.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err_write.get(), STDERR_FILENO);
  if (errors == Errors::full) {
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/full", O_WRONLY, 0);
  }
  if (errors == Errors::closed) ::posix_spawn_file_actions_addclose(&actions, STDERR_FILENO);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.path("").c_str());

  const std::string path = program_path();
  std::vector<const char*> argv{path.c_str()};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  const int error =
      ::posix_spawn(&pid_, path.c_str(), &actions, nullptr, const_cast<char**>(argv.data()),
                    const_cast<char**>(environment().data()));
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(path + ": " + std::strerror(error));
}

Program::~Program() { kill(); }

void Program::kill() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void Program::signal(int number) const { ::kill(pid_, number); }

bool Program::read_some(Clock::time_point deadline) {
  std::array<pollfd, 2> polled{{{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}}};
  if (!out_.is_open() && !err_.is_open()) return false;
  if (::poll(polled.data(), polled.size(), milliseconds_until(deadline)) == 0) return false;
  std::array<char, 65536> buffer{};
  const auto take = [&buffer](const pollfd& from, cli::Descriptor& descriptor, std::string& into) {
    if (from.revents == 0) return;
    const ssize_t got = ::read(descriptor.get(), buffer.data(), buffer.size());
    if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0) descriptor.close();
  };
  take(polled[0], out_, result_.out);
  take(polled[1], err_, result_.err);
  return true;
}

bool Program::says(const std::string& text) {
  const auto deadline = Clock::now() + kProgramPatience;
  while (result_.err.find(text) == std::string::npos) {
    if (!read_some(deadline)) return false;
  }
  return true;
}

Finished Program::wait() {
  const auto deadline = Clock::now() + kProgramPatience;
  while (read_some(deadline)) {
  }
  if (out_.is_open() || err_.is_open()) ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
  return result_;
}

Finished run(const Folder& folder, const std::vector<std::string>& arguments,
             const std::string& input) {
  return Program{folder, arguments, input}.wait();
}

std::string program_path() { return PENSTOCK_PROGRAM; }

bool eventually(const fs::path& watched, const std::function<bool()>& condition) {
  const cli::Descriptor inotify{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  ::inotify_add_watch(inotify.get(), watched.c_str(),
                      IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE);
  const auto deadline = Clock::now() + kProgramPatience;
  while (!condition()) {
    pollfd polled{inotify.get(), POLLIN, 0};
    if (::poll(&polled, 1, milliseconds_until(deadline)) == 0) return condition();
    std::array<char, 16384> events{};
    while (::read(inotify.get(), events.data(), events.size()) > 0) {
    }
  }
  return true;
}

void kill_listed(const fs::path& pids) {
  std::ifstream file{pids};
  for (pid_t pid = 0; file >> pid;) ::kill(pid, SIGKILL);
}

std::string read_file(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

void write_file(const fs::path& path, const std::string& content) {
  std::ofstream file{path, std::ios::binary};
  file << content;
}

}  // namespace penstock::test

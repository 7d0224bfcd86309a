// Starting and ending programs.
#include "support/background_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace penstock::test {
namespace {

// What the test runner takes for a skipped test.
constexpr int kCannotBeHad = 77;

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  return ends;
}

pid_t spawn(const std::vector<std::string>& command, int input, int output) {
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  if (input >= 0) posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  pid_t process = -1;
  const int problem =
      ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) throw std::runtime_error("cannot start " + command.at(0));
  return process;
}

}  // namespace

BackgroundProgram::BackgroundProgram(const std::vector<std::string>& command) {
  const auto input = make_pipe();
  const auto output = make_pipe();
  process_ = spawn(command, input[0], output[1]);
  ::close(input[0]);
  ::close(output[1]);
  input_ = input[1];
  char c = 0;
  while (::read(output[0], &c, 1) == 1 && c != '\n') first_line_ += c;
  ::close(output[0]);
  if (c == '\n') return;
  ::close(input_);
  int status = 0;
  ::waitpid(process_, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotBeHad) std::_Exit(kCannotBeHad);
  throw std::runtime_error(command.at(0) + " ended before it was ready");
}

BackgroundProgram::~BackgroundProgram() {
  ::close(input_);
  ::waitpid(process_, nullptr, 0);
}

void run_program(const std::vector<std::string>& command) {
  int status = 0;
  ::waitpid(spawn(command, -1, -1), &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(command.at(0) + " failed");
  }
}

}  // namespace penstock::test

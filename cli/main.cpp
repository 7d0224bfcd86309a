// The program `penstock`: reads the arguments, runs one command, turns failures into exit codes.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <exception>

#include "arguments.hpp"
#include "penstock/error.hpp"

namespace {

/// Whoever started us may have left us a state in which commands cannot be waited for, or in which
/// the first file we open would get what is said to stderr.
void repair_what_was_inherited() {
  ::signal(SIGCHLD, SIG_DFL);
  if (::fcntl(STDERR_FILENO, F_GETFD) >= 0) return;
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0 || nowhere == STDERR_FILENO) return;
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

}  // namespace

int main(int count, char** arguments) {
  using namespace penstock;
  repair_what_was_inherited();
  const cli::Format format = cli::format_of(count, arguments);
  cli::ExitCode code = cli::ExitCode::done;
  try {
    const cli::Request request = cli::parse_arguments(count, arguments);
    if (request.command) code = request.command(request.settings);
  } catch (const Error& error) {
    code = cli::report(error, format);
  } catch (const std::exception& error) {
    code = cli::report(Error(ErrorKind::internal, error.what()), format);
  }
  return static_cast<int>(code);
}

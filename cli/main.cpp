// The program `penstock`: reads the arguments, runs one command, turns failures into exit codes.
#include <exception>

#include "arguments.hpp"
#include "penstock/error.hpp"

int main(int count, char** arguments) {
  using namespace penstock;
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

// Runs the built program the way a shell does, and waits for what it says, never for time to pass.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "process/descriptor.hpp"
#include "support/scale.hpp"

namespace penstock::test {

/// No test waits longer than this for anything.
inline const std::chrono::seconds kProgramPatience =
    test::scale() > 1 ? std::chrono::minutes{20} : std::chrono::minutes{1};

struct Finished {
  int exit_code = -1;  ///< -1: ended by a signal, or by the harness's patience.
  int signal = 0;
  std::string out{};
  std::string err{};
};

/// A folder that vanishes with the test.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// A running program. Killed when destroyed.
class Program {
 public:
  /// What its stderr is.
  enum class Errors { read, full, closed };

  /// `folder` is its working folder; PENSTOCK_DB is not handed down.
  Program(const Folder& folder, const std::vector<std::string>& arguments,
          const std::string& input = {}, Errors errors = Errors::read);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Reads on until stderr holds `text`; false where it ended or patience did before.
  [[nodiscard]] bool says(const std::string& text);
  [[nodiscard]] Finished wait();
  /// SIGKILL. Its commands live on and hold its output open, so nothing is read.
  void kill();

 private:
  bool read_some(std::chrono::steady_clock::time_point deadline);

  pid_t pid_ = 0;
  cli::Descriptor out_{};
  cli::Descriptor err_{};
  Finished result_{};
};

/// A lower limit for this process, which the programs that it starts inherit, until destroyed.
class ProcessLimit {
 public:
  ProcessLimit(int resource, rlim_t most);
  ~ProcessLimit();
  ProcessLimit(const ProcessLimit&) = delete;
  ProcessLimit& operator=(const ProcessLimit&) = delete;

 private:
  int resource_;
  rlimit before_{};
};

/// Runs the program to its end.
[[nodiscard]] Finished run(const Folder& folder, const std::vector<std::string>& arguments,
                           const std::string& input = {});

/// The built program.
[[nodiscard]] std::string program_path();

/// Waits until `condition` holds, asking again whenever something in `watched` changes.
[[nodiscard]] bool eventually(const std::filesystem::path& watched,
                              const std::function<bool()>& condition);

/// Kills the processes whose numbers stand in a file, one a line: what a killed program left.
void kill_listed(const std::filesystem::path& pids);

[[nodiscard]] std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& content);

}  // namespace penstock::test

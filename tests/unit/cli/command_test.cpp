// Running a shell command for one attempt.
#include "process/command.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <cerrno>
#include <thread>

#include "cli/program.hpp"

namespace penstock::cli {
namespace {

using How = CommandEnd::How;

class CommandTest : public testing::Test {
 protected:
  CommandTest() { ::signal(SIGPIPE, SIG_IGN); }

  static CommandEnd run(const CommandRun& run, const std::stop_token& stop = {},
                        StopManner manner = StopManner::terminate_then_kill) {
    return run_command(run, stop, [manner] { return manner; });
  }

  const test::Folder folder_;
};

TEST_F(CommandTest, GivesTheExitCode) {
  const CommandEnd end = run({.command = "exit 75"});

  EXPECT_EQ(end.how, How::exited);
  EXPECT_EQ(end.code, 75);
}

TEST_F(CommandTest, HandsOverMoreInputThanAPipeHolds) {
  std::string input(3 * 1024 * 1024, 'x');
  input[100] = '\0';

  const CommandEnd end = run({.command = "cat > " + folder_.path("copy").string(), .input = input});

  EXPECT_EQ(end.code, 0);
  EXPECT_TRUE(test::read_file(folder_.path("copy")) == input);
}

TEST_F(CommandTest, SurvivesACommandThatDoesNotReadItsInput) {
  EXPECT_EQ(run({.command = "exec <&-; exit 3", .input = std::string(1024 * 1024, 'x')}).code, 3);
}

TEST_F(CommandTest, SetsVariablesInPlaceOfOurOwn) {
  ::setenv("PENSTOCK_TYPE", "ours", 1);

  const CommandEnd end =
      run({.command = "tr '\\0' '\\n' < /proc/$$/environ | grep ^PENSTOCK_TYPE= >&2",
           .variables = {"PENSTOCK_TYPE=theirs"}});
  ::unsetenv("PENSTOCK_TYPE");

  EXPECT_EQ(end.error_tail, "PENSTOCK_TYPE=theirs");
}

TEST_F(CommandTest, KeepsTheTailOfStderr) {
  const CommandEnd end = run({.command = "head -c 20000 /dev/zero | tr '\\0' a >&2; echo end >&2"});

  EXPECT_EQ(end.error_tail.size(), 8U * 1024 - 1);  // Without the last newline.
  EXPECT_THAT(end.error_tail, testing::EndsWith("aend"));
}

TEST_F(CommandTest, TellsASignalFromAnExit) {
  const CommandEnd end = run({.command = "kill -9 $$"});

  EXPECT_EQ(end.how, How::signalled);
  EXPECT_EQ(end.code, SIGKILL);
}

TEST_F(CommandTest, TakesAnEndThatTheSystemDoesNotTellForNoExit) {
  ::signal(SIGCHLD, SIG_IGN);
  const CommandEnd end = run({.command = "exit 7"});
  ::signal(SIGCHLD, SIG_DFL);

  EXPECT_EQ(end.how, How::unknown);
}

TEST_F(CommandTest, TellsAShortageOfDescriptorsFromACommandThatCannotBe) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};

  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const CommandEnd shortage = run({.command = "true"});
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  const CommandEnd too_long = run({.command = "true", .variables = {std::string(200'000, 'x')}});

  EXPECT_EQ(shortage.how, How::not_started);
  EXPECT_TRUE(is_shortage(shortage)) << shortage.error_tail;
  EXPECT_EQ(too_long.how, How::not_started);
  EXPECT_FALSE(is_shortage(too_long)) << too_long.error_tail;
  EXPECT_FALSE(is_shortage({.how = How::exited, .code = EMFILE}));
}

TEST_F(CommandTest, DoesNotWaitForWhatTheCommandLeftInTheBackground) {
  const auto pid_file = folder_.path("pid");

  const CommandEnd end = run({.command = "sleep 1000 & echo $! > " + pid_file.string()});

  EXPECT_EQ(end.how, How::exited);
  EXPECT_EQ(::kill(std::stoi(test::read_file(pid_file)), SIGKILL), 0);
}

TEST_F(CommandTest, TerminatesTheWholeGroupWhenAskedToStop) {
  const auto started = folder_.path("started");
  std::stop_source stop;
  std::jthread stopper{[&] {
    EXPECT_TRUE(
        test::eventually(folder_.path(""), [&] { return std::filesystem::exists(started); }));
    stop.request_stop();
  }};

  const CommandEnd end = run({.command = "trap 'echo ended >&2; exit 0' TERM; sleep 1000 & : > " +
                                         started.string() + "; wait"},
                             stop.get_token());

  // It ended by itself: what its exit code says of the work is still true.
  EXPECT_EQ(end.how, How::exited);
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.error_tail, "ended");
}

TEST_F(CommandTest, KillsWhatIgnoresTheTermination) {
  const auto started = folder_.path("started");
  std::stop_source stop;
  std::jthread stopper{[&] {
    EXPECT_TRUE(
        test::eventually(folder_.path(""), [&] { return std::filesystem::exists(started); }));
    stop.request_stop();
  }};

  const CommandEnd end =
      run({.command = "trap '' TERM; : > " + started.string() + "; while :; do sleep 1000; done"},
          stop.get_token());

  EXPECT_EQ(end.how, How::stopped);
}

TEST_F(CommandTest, DoesNotBeginAfterAStop) {
  std::stop_source stop;
  stop.request_stop();

  // It could not even start; after a stop nobody finds out.
  const CommandRun impossible{.command = ":", .variables = {"X=" + std::string(200'000, 'x')}};
  EXPECT_EQ(run(impossible, stop.get_token()).how, How::stopped);
}

TEST_F(CommandTest, TellsWhyACommandCouldNotStart) {
  const CommandEnd end =
      run({.command = ":", .variables = {"PENSTOCK_HEADERS=" + std::string(200'000, 'x')}});

  EXPECT_EQ(end.how, How::not_started);
  EXPECT_FALSE(end.error_tail.empty());
}

}  // namespace
}  // namespace penstock::cli

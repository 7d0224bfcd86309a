// `penstock handle`: ends of commands and of the program that are easily taken for something else.
#include <gmock/gmock.h>
#include <signal.h>
#include <sqlite3.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.hpp"

namespace penstock::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class HandleStopTest : public testing::Test {
 protected:
  HandleStopTest() {
    EXPECT_EQ(penstock({"handlers", "add", "mail", "--types", "*"}).exit_code, 0);
    EXPECT_EQ(penstock({"publish", "--type", "t", "--payload", "1"}).exit_code, 0);
  }

  Finished penstock(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--db", "sqlite:o.db"});
    return run(folder_, arguments);
  }
  static std::vector<std::string> handle(const std::string& command,
                                         const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"handle",      "--handler",     "mail",  "--types",
                                       "*",           "--exec",        command, "--db",
                                       "sqlite:o.db", "--retry-delay", "1h",    "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  json deliveries() { return json::parse(penstock({"list", "--json"}).out).at("items"); }
  bool begun() {
    return eventually(folder_.path(""), [&] { return !read_file(folder_.path("begun")).empty(); });
  }
  void execute(const char* sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(::sqlite3_open(folder_.path("o.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(::sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    ::sqlite3_close(database);
  }

  const Folder folder_;
};

TEST_F(HandleStopTest, AFailureCountsWhereSigchldWasIgnored) {
  ::signal(SIGCHLD, SIG_IGN);  // What we ignore, the program inherits.
  Program program{folder_, handle("exit 7", {"--until-idle"})};
  ::signal(SIGCHLD, SIG_DFL);

  const Finished finished = program.wait();

  EXPECT_EQ(json::parse(finished.out).at("completed"), 0);
  ASSERT_EQ(deliveries().size(), 1U);
  EXPECT_EQ(deliveries().at(0).at("last_error"), "the command exited with 7");
}

TEST_F(HandleStopTest, ExitZeroAfterTheTimeoutIsAnEndOfTheWork) {
  const Finished finished = run(folder_, handle("trap 'exit 0' TERM; while :; do sleep 0.02; done",
                                                {"--timeout", "200ms", "--until-idle"}));

  EXPECT_EQ(json::parse(finished.out).at("completed"), 1);
  EXPECT_EQ(deliveries().size(), 0U);
}

TEST_F(HandleStopTest, AnotherExitAfterTheTimeoutIsATimeout) {
  const Finished finished = run(folder_, handle("trap 'exit 3' TERM; while :; do sleep 0.02; done",
                                                {"--timeout", "200ms", "--until-idle"}));

  EXPECT_EQ(json::parse(finished.out).at("retried"), 1);
  EXPECT_THAT(deliveries().at(0).at("last_error").get<std::string>(), HasSubstr("timeout"));
}

TEST_F(HandleStopTest, ExitZeroAfterTheGracePeriodIsAnEndOfTheWork) {
  // Half a second: longer than the dispatcher would wait on its own.
  Program program{folder_, handle("trap 'sleep 0.5; exit 0' TERM; echo 1 > begun; "
                                  "while :; do sleep 0.02; done",
                                  {"--grace", "50ms"})};
  ASSERT_TRUE(begun());

  program.signal(SIGTERM);
  const Finished finished = program.wait();

  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(json::parse(finished.out).at("completed"), 1);
  EXPECT_EQ(deliveries().size(), 0U);
}

TEST_F(HandleStopTest, AnotherExitAfterTheGracePeriodSpendsNoAttempt) {
  Program program{folder_, handle("trap 'exit 3' TERM; echo 1 > begun; "
                                  "while :; do sleep 0.02; done",
                                  {"--grace", "50ms"})};
  ASSERT_TRUE(begun());

  program.signal(SIGTERM);
  const Finished finished = program.wait();

  EXPECT_EQ(json::parse(finished.out).at("released"), 1);
  EXPECT_EQ(deliveries().at(0).at("attempts"), 0);
}

class HandleGroupSignalTest : public HandleStopTest, public testing::WithParamInterface<bool> {};

TEST_P(HandleGroupSignalTest, SpendsNoAttemptWhicheverIsSignalledFirst) {
  Program program{folder_, handle("echo $$ > begun; exec sleep 1000")};
  ASSERT_TRUE(begun());
  const pid_t command = std::stoi(read_file(folder_.path("begun")));

  if (GetParam()) ::kill(command, SIGTERM);
  program.signal(SIGTERM);
  if (!GetParam()) ::kill(command, SIGTERM);
  const Finished finished = program.wait();

  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  ASSERT_EQ(deliveries().size(), 1U);
  EXPECT_EQ(deliveries().at(0).at("attempts"), 0);
}

INSTANTIATE_TEST_SUITE_P(CommandFirst, HandleGroupSignalTest, testing::Bool());

TEST_F(HandleStopTest, TheSameWishSaidTwiceStillStopsCleanly) {
  Program program{folder_, handle("echo > begun; sleep 0.5", {"--grace", "20s"})};
  ASSERT_TRUE(begun());

  program.signal(SIGTERM);
  program.signal(SIGTERM);
  const Finished finished = program.wait();

  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(json::parse(finished.out).at("completed"), 1);
}

TEST_F(HandleStopTest, ALaterSignalEndsTheProgramAndItsCommands) {
  Program program{folder_, handle("echo > begun; sleep 600", {"--grace", "600s"})};
  ASSERT_TRUE(begun());
  program.signal(SIGTERM);

  // The first second is the same wish; then one counts.
  std::jthread insisting([pid = program.pid()](const std::stop_token& ended) {
    while (!ended.stop_requested() && ::kill(pid, SIGTERM) == 0) std::this_thread::yield();
  });
  const Finished finished = program.wait();  // The command holds stdout: it has ended, too.
  insisting.request_stop();

  EXPECT_EQ(finished.exit_code, 128 + SIGTERM);
}

TEST_F(HandleStopTest, ASignalToTheCommandAloneIsAFailure) {
  const Finished finished = run(folder_, handle("kill -TERM $$", {"--until-idle"}));

  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(deliveries().at(0).at("attempts"), 1);
  EXPECT_EQ(deliveries().at(0).at("last_error"), "the command was killed by signal 15");
}

TEST_F(HandleStopTest, IsOneWhereTheDispatcherGaveUp) {
  execute(
      "create trigger broken before insert on penstock_in_flight "
      "begin select raise(abort, 'broken'); end");

  EXPECT_EQ(run(folder_, handle("true", {"--until-idle"})).exit_code, 1);
  EXPECT_EQ(run(folder_, handle("true")).exit_code, 1);
}

}  // namespace
}  // namespace penstock::test

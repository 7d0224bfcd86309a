// `penstock handle --exec`: what a command is given, what its end means, and what survives the end
// of the program itself.
#include <gmock/gmock.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/program.hpp"

namespace penstock::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class HandleTest : public testing::Test {
 protected:
  HandleTest() { EXPECT_EQ(penstock({"handlers", "add", "mail", "--types", "*"}).exit_code, 0); }

  static std::vector<std::string> with_db(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--db", "sqlite:o.db"});
    return arguments;
  }
  Finished penstock(const std::vector<std::string>& arguments, const std::string& input = {}) {
    return run(folder_, with_db(arguments), input);
  }
  json penstock_json(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const Finished finished = penstock(arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return json::parse(finished.out);
  }

  void publish(int count, const std::string& members = R"("payload":1)") {
    std::string lines;
    for (int i = 0; i < count; ++i) lines += "{\"type\":\"order.paid\"," + members + "}\n";
    ASSERT_EQ(penstock({"publish", "--ndjson", "-"}, lines).exit_code, 0);
  }

  static std::vector<std::string> handle(const std::string& command,
                                         const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"handle", "--handler", "mail",    "--types", "*",
                                       "--exec", command,     "--lease", "2s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return with_db(arguments);
  }
  /// Runs `command` once for whatever is due.
  void handle_once(const std::string& command, std::vector<std::string> more = {}) {
    more.emplace_back("--until-idle");
    const Finished finished = run(folder_, handle(command, more));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
  }
  json only_delivery() { return penstock_json({"list"}).at("items").at(0); }

  /// The distinct lines of a file that commands append to.
  std::multiset<std::string> lines_of(const std::string& name) {
    std::istringstream text{read_file(folder_.path(name))};
    std::multiset<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.insert(line);
    return lines;
  }
  std::size_t distinct_lines_of(const std::string& name) {
    const auto lines = lines_of(name);
    return std::set<std::string>{lines.begin(), lines.end()}.size();
  }
  bool eventually(const std::function<bool()>& condition) {
    return test::eventually(folder_.path(""), condition);
  }

  const Folder folder_;
};

TEST_F(HandleTest, GivesTheCommandPayloadAndVariables) {
  publish(
      1,
      R"("key":"k 1","id":"00000000-0000-7000-8000-000000000001","headers":{"a":"b\"c"},"payload":{"x":1})");

  handle_once(
      "cat > payload; printf '%s|' \"$PENSTOCK_ID\" \"$PENSTOCK_TYPE\" \"$PENSTOCK_KEY\" "
      "\"$PENSTOCK_ATTEMPT\" \"$PENSTOCK_HANDLER\" \"$PENSTOCK_HEADERS\" > variables");

  EXPECT_EQ(read_file(folder_.path("payload")), R"({"x":1})");
  EXPECT_EQ(read_file(folder_.path("variables")),
            R"(00000000-0000-7000-8000-000000000001|order.paid|k 1|1|mail|{"a":"b\"c"}|)");
}

TEST_F(HandleTest, CompletesOnExitZero) {
  publish(1);

  handle_once("true");

  EXPECT_EQ(penstock_json({"list"}).at("items").size(), 0U);
}

TEST_F(HandleTest, RetriesOnAnyOtherExitAndKeepsStderr) {
  publish(1);

  handle_once("echo no paper >&2; exit 3", {"--retry-delay", "1h"});

  const json delivery = only_delivery();
  EXPECT_EQ(delivery.at("status"), "pending");
  EXPECT_EQ(delivery.at("attempts"), 1);
  EXPECT_EQ(delivery.at("last_error"), "the command exited with 3: no paper");
}

TEST_F(HandleTest, SnoozesOnExit75WithoutSpendingAnAttempt) {
  publish(1);

  handle_once("exit 75", {"--snooze", "1h"});

  const json delivery = only_delivery();
  EXPECT_EQ(delivery.at("status"), "pending");
  EXPECT_EQ(delivery.at("attempts"), 0);
  EXPECT_GT(delivery.at("available_at"), delivery.at("created_at"));
}

TEST_F(HandleTest, BuriesOnExit65) {
  publish(1);

  handle_once("echo wrong address >&2; exit 65");

  const json delivery = only_delivery();
  EXPECT_EQ(delivery.at("status"), "dead");
  EXPECT_THAT(delivery.at("last_error").get<std::string>(), HasSubstr("wrong address"));
}

TEST_F(HandleTest, BuriesAfterTheLastAttempt) {
  publish(1);

  handle_once("echo again >> tries; exit 1", {"--max-attempts", "3", "--retry-delay", "0"});

  EXPECT_EQ(only_delivery().at("status"), "dead");
  EXPECT_EQ(lines_of("tries").size(), 3U);
}

TEST_F(HandleTest, StopsACommandAtItsTimeoutAndRetries) {
  publish(1);

  handle_once("sleep 1000", {"--timeout", "200ms", "--retry-delay", "1h"});

  const json delivery = only_delivery();
  EXPECT_EQ(delivery.at("attempts"), 1);
  EXPECT_THAT(delivery.at("last_error").get<std::string>(), HasSubstr("timeout"));
}

TEST_F(HandleTest, EndsOnSigtermAfterWhatRunsAndSpendsNoAttempt) {
  publish(3);
  Program program{folder_,
                  handle("echo $PENSTOCK_ID >> begun; until [ -e go ]; do sleep 0.02; done",
                         {"--concurrency", "1"})};
  ASSERT_TRUE(eventually([&] { return lines_of("begun").size() == 1; }));

  program.signal(SIGTERM);
  write_file(folder_.path("go"), "");
  const Finished finished = program.wait();

  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const json items = penstock_json({"list"}).at("items");
  ASSERT_EQ(items.size(), 2U);
  for (const json& item : items) {
    EXPECT_EQ(item.at("status"), "pending");
    EXPECT_EQ(item.at("attempts"), 0);
    EXPECT_TRUE(item.at("lease_owner").is_null());
  }
}

TEST_F(HandleTest, KillsACommandThatOutlivesTheGracePeriodAndSpendsNoAttempt) {
  publish(1);
  Program program{folder_,
                  handle("echo $$ > begun; exec sleep 1000", {"--grace", "100ms", "--json"})};
  ASSERT_TRUE(eventually([&] { return !read_file(folder_.path("begun")).empty(); }));

  program.signal(SIGTERM);
  const Finished finished = program.wait();

  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(json::parse(finished.out).at("released"), 1);
  EXPECT_EQ(json::parse(finished.out).at("snoozed"), 0);
  EXPECT_EQ(only_delivery().at("status"), "pending");
  EXPECT_EQ(only_delivery().at("attempts"), 0);
  EXPECT_EQ(::kill(std::stoi(read_file(folder_.path("begun"))), 0), -1);
}

TEST_F(HandleTest, TwoProgramsShareTheWork) {
  publish(60);
  const std::string command = "echo $PENSTOCK_ID >> handled; echo $PPID >> workers; sleep 0.02";
  Program one{folder_, handle(command, {"--concurrency", "2"})};
  Program two{folder_, handle(command, {"--concurrency", "2"})};

  EXPECT_TRUE(eventually([&] { return distinct_lines_of("handled") == 60; }));

  EXPECT_EQ(lines_of("handled").size(), 60U);
  EXPECT_EQ(distinct_lines_of("workers"), 2U);
  one.signal(SIGTERM);
  two.signal(SIGTERM);
  EXPECT_EQ(one.wait().exit_code, 0);
  EXPECT_EQ(two.wait().exit_code, 0);
  EXPECT_EQ(penstock_json({"list"}).at("items").size(), 0U);
}

TEST_F(HandleTest, AnotherProgramTakesOverFromAKilledOne) {
  publish(20);
  Program victim{folder_, handle("echo $$ >> begun; exec sleep 1000")};
  ASSERT_TRUE(eventually([&] { return !lines_of("begun").empty(); }));
  victim.kill();

  Program heir{folder_, handle("echo $PENSTOCK_ID >> handled")};

  EXPECT_TRUE(eventually([&] { return distinct_lines_of("handled") == 20; }));
  heir.signal(SIGTERM);
  EXPECT_EQ(heir.wait().exit_code, 0);
  const json stats = penstock_json({"stats"});
  EXPECT_EQ(stats.at("handlers").at("mail").at("dead"), 0);
  EXPECT_GE(stats.at("takeovers"), 1);
  kill_listed(folder_.path("begun"));
}

TEST_F(HandleTest, KeepsWhatIsStoredOfTheHandler) {
  ASSERT_EQ(
      penstock({"handlers", "add", "mail", "--types", "order.*", "--max-attempts", "3"}).exit_code,
      0);

  const Finished finished =
      penstock({"handle", "--handler", "mail", "--exec", "true", "--until-idle"});

  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.err, testing::Not(HasSubstr("were")));
  const json handler = penstock_json({"handlers"}).at("items").at(0);
  EXPECT_EQ(handler.at("types"), json::array({"order.*"}));
  EXPECT_EQ(handler.at("max_attempts"), 3);
}

TEST_F(HandleTest, SaysWhatItChangesOfTheHandler) {
  const std::vector<std::string> command{"handle",         "--handler", "mail", "--types",
                                         "user.*",         "--exec",    "true", "--until-idle",
                                         "--max-attempts", "3"};

  const Finished first = penstock(command);
  const Finished second = penstock(command);

  EXPECT_THAT(first.err,
              HasSubstr("mail: types were *, now user.*; max attempts were 25, now 3\n"));
  EXPECT_THAT(second.err, testing::Not(HasSubstr("were")));
  EXPECT_EQ(penstock_json({"handlers"}).at("items").at(0).at("types"), json::array({"user.*"}));
}

TEST_F(HandleTest, NeedsTheTypesOfAHandlerThatIsNotSubscribed) {
  const Finished finished = penstock({"handle", "--handler", "fax", "--exec", "true"});

  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, HasSubstr("no handler \"fax\" is subscribed yet: expected --types"));
  EXPECT_EQ(penstock_json({"handlers"}).at("items").size(), 1U);
}

TEST_F(HandleTest, SpendsNoAttemptWhereTheSystemCannotStartTheCommand) {
  publish(30);
  // Each command takes two descriptors while it runs and four while it starts.
  const ProcessLimit limit{RLIMIT_NOFILE, 60};
  Program program{folder_, handle("echo $PENSTOCK_ATTEMPT >> attempts; exec sleep 0.3",
                                  {"--concurrency", "30", "--log-level", "warning"})};

  EXPECT_TRUE(program.says("could not be started now"));
  EXPECT_TRUE(eventually([&] { return lines_of("attempts").size() == 30; }));

  EXPECT_EQ(lines_of("attempts").count("1"), 30U);
  program.signal(SIGTERM);
  const Finished finished = program.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
}

TEST_F(HandleTest, SaysWhatItLeftBehindWhenIdle) {
  ASSERT_EQ(penstock({"handlers", "add", "audit", "--types", "*"}).exit_code, 0);
  publish(3, R"("key":"k","payload":1)");
  publish(1);
  const std::vector<std::string> command =
      handle("exit 75", {"--snooze", "1h", "--until-idle", "--json"});

  const Finished finished = run(folder_, command);

  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const json left = json::parse(finished.out).at("left");
  EXPECT_EQ(left.at("pending"), 4);
  EXPECT_EQ(left.at("waiting_for_key"), 2);
  EXPECT_EQ(left.at("due_later"), 2);
  EXPECT_EQ(left.at("due"), 0);
  EXPECT_EQ(left.at("other_handlers"), 4);
  EXPECT_LE(left.at("next_due_in_ms"), 3'600'000);
  EXPECT_GT(left.at("next_due_in_ms"), 3'000'000);
  EXPECT_THAT(
      run(folder_, handle("true", {"--until-idle"})).err,
      HasSubstr("penstock: left behind: 2 waiting for their key, 2 due later (next in 59m), "
                "4 pending of other handlers\n"));
}

TEST_F(HandleTest, SaysNothingOfWhatIsLeftWhereNothingIs) {
  publish(1);

  EXPECT_THAT(run(folder_, handle("true", {"--until-idle"})).err,
              testing::Not(HasSubstr("left behind")));
}

TEST_F(HandleTest, RefusesBadOptions) {
  EXPECT_EQ(penstock({"handle", "--handler", "mail", "--types", "*"}).exit_code, 2);
  EXPECT_EQ(run(folder_, handle("true", {"--concurrency", "0"})).exit_code, 2);
  EXPECT_EQ(run(folder_, handle("true", {"--timeout", "soon"})).exit_code, 2);
  EXPECT_EQ(run(folder_, handle("")).exit_code, 2);
  EXPECT_THAT(penstock({"handle", "--handler", "mail", "--exec", "true", "--lease", "1ms"}).err,
              HasSubstr("--lease: expected 100ms or more, found 1ms"));
  EXPECT_EQ(penstock({"handle", "--handler", "mail", "--types", "a*b", "--exec", "true"}).exit_code,
            2);
}

}  // namespace
}  // namespace penstock::test

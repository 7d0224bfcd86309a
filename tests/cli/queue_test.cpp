// The queue at the command line: enqueue, work --exec, queues, jobs, dead.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace penstock::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class QueueCommandTest : public testing::Test {
 protected:
  static std::vector<std::string> with_db(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--db", "sqlite:o.db"});
    return arguments;
  }
  Finished penstock(const std::vector<std::string>& arguments, const std::string& input = {}) {
    return run(folder_, with_db(arguments), input);
  }
  json penstock_json(std::vector<std::string> arguments, const std::string& input = {}) {
    arguments.push_back("--json");
    const Finished finished = penstock(arguments, input);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return json::parse(finished.out);
  }
  std::string enqueue(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"enqueue", "--queue", "mail", "--kind", "receipt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return penstock_json(arguments).at("id").get<std::string>();
  }
  static std::vector<std::string> work(const std::string& command) {
    return with_db({"work", "--queue", "mail", "--kind", "receipt", "--retry-delay", "1h",
                    "--snooze", "1h", "--lease", "2s", "--exec", command});
  }
  void work_once(const std::string& command) {
    std::vector<std::string> arguments = work(command);
    arguments.emplace_back("--until-idle");
    const Finished finished = run(folder_, arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
  }
  json shown(const std::string& id) { return penstock_json({"jobs", "show", id}); }
  json mail() { return penstock_json({"queues"}).at("items").at(0); }

  const Folder folder_;
};

TEST_F(QueueCommandTest, ACommandGetsTheJob) {
  const std::string id =
      enqueue({"--payload", R"({"n": 1})", "--key", "order-42", "--header", "trace=x"});
  work_once("cat > payload; env | grep ^PENSTOCK_ | grep -v PENSTOCK_DB | sort > environment");
  EXPECT_EQ(read_file(folder_.path("payload")), R"({"n": 1})");
  EXPECT_EQ(read_file(folder_.path("environment")),
            "PENSTOCK_ATTEMPT=1\nPENSTOCK_HEADERS={\"trace\":\"x\"}\nPENSTOCK_ID=" + id +
                "\nPENSTOCK_KEY=order-42\nPENSTOCK_KIND=receipt\nPENSTOCK_QUEUE=mail\n");
  EXPECT_EQ(mail().at("completed"), 1);
}

TEST_F(QueueCommandTest, ItsExitCodeSaysHowTheAttemptEnded) {
  const std::string snoozed = enqueue({"--payload", "75"});
  const std::string buried = enqueue({"--payload", "65"});
  const std::string retried = enqueue({"--payload", "9"});
  work_once("read -r code; echo because >&2; exit $code");
  EXPECT_EQ(shown(snoozed).at("state"), "scheduled");
  EXPECT_EQ(shown(snoozed).at("attempts"), 0);
  EXPECT_EQ(shown(buried).at("state"), "dead");
  EXPECT_THAT(shown(buried).at("last_error").get<std::string>(), HasSubstr("because"));
  EXPECT_EQ(shown(retried).at("state"), "retrying");
  EXPECT_THAT(shown(retried).at("why").get<std::string>(), HasSubstr("not due"));
}

TEST_F(QueueCommandTest, AUniqueKeyGivesTheIdOfTheFirst) {
  const std::string first = enqueue({"--unique-key", "u"});
  const json second =
      penstock_json({"enqueue", "--queue", "mail", "--kind", "receipt", "--unique-key", "u"});
  EXPECT_EQ(second.at("id"), first);
  EXPECT_EQ(second.at("created"), false);
}

TEST_F(QueueCommandTest, EnqueuesAFile) {
  const json report = penstock_json({"enqueue", "--ndjson", "-"},
                                    R"({"queue":"mail","kind":"receipt","payload":{"n":1}})"
                                    "\n\n"
                                    R"({"queue":"mail","kind":"receipt","payload_base64":"AAE=",)"
                                    R"("priority":1,"delay":"1h","unique_key":"u"})"
                                    "\n");
  EXPECT_EQ(report.at("enqueued"), 2);
  EXPECT_EQ(mail().at("waiting"), 1);
  EXPECT_EQ(mail().at("scheduled"), 1);
}

TEST_F(QueueCommandTest, RefusesAFileForOneBadLineAndNamesIt) {
  const std::string good = R"({"queue":"mail","kind":"receipt","payload":1})"
                           "\n";
  const std::string bad = R"({"queue":"mail","kind":"receipt","payload":1,"prio":1})"
                          "\n";
  const Finished refused = penstock({"enqueue", "--ndjson", "-"}, good + bad);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("line 2"));
  EXPECT_THAT(refused.err, HasSubstr("prio"));
  EXPECT_THAT(penstock_json({"queues"}).at("items"), IsEmpty());

  const json rest = penstock_json({"enqueue", "--ndjson", "-", "--skip-bad"}, good + bad);
  EXPECT_EQ(rest.at("enqueued"), 1);
  EXPECT_EQ(rest.at("skipped").at(0).at("line"), 2);
}

TEST_F(QueueCommandTest, RefusesBadInputWithOneLine) {
  const std::vector<std::string> head{"enqueue", "--queue", "mail", "--kind", "receipt"};
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--priority", "5"},
           {"--max-attempts", "0"},
           {"--run-at", "tomorrow"},
           {"--delay", "soon"},
           {"--deadline", "-1s"},
           {"--unique-key", "u", "--unique-states", "ready"},
           {"--header", "no-equals-sign"},
           {"--key", std::string(1'001, 'k')},
           {"--run-at", "2026-12-01T12:00:00Z", "--delay", "1h"}}) {
    std::vector<std::string> arguments = head;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished refused = penstock(arguments);
    EXPECT_EQ(refused.exit_code, 2) << more.at(0);
    EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  }
  EXPECT_EQ(penstock({"enqueue", "--queue", "mail"}).exit_code, 2);
  EXPECT_EQ(penstock({"enqueue", "--queue", std::string(201, 'q'), "--kind", "k"}).exit_code, 2);
}

TEST_F(QueueCommandTest, AnOperatorChangesJobs) {
  const std::string a = enqueue();
  const std::string b = enqueue();
  const std::string c = enqueue();
  EXPECT_EQ(penstock_json({"jobs", "cancel", a}).at("cancelled"), json::array({a}));
  EXPECT_EQ(penstock_json({"jobs", "bury", b, "--reason", "by hand"}).at("buried"),
            json::array({b}));
  EXPECT_EQ(penstock_json({"jobs", "move", c, "--priority", "1"}).at("moved"), json::array({c}));
  EXPECT_EQ(shown(b).at("last_error"), "by hand");
  EXPECT_EQ(shown(c).at("priority"), 1);
  EXPECT_EQ(penstock({"jobs", "cancel", a}).exit_code, 1);
  EXPECT_EQ(penstock({"jobs", "show", a}).exit_code, 1);
  EXPECT_THAT(penstock({"jobs", "show", a}).err, HasSubstr("not kept"));
}

TEST_F(QueueCommandTest, TheDeadAreRequeuedByFilterAfterALook) {
  const std::string id = enqueue({"--payload", "65"});
  work_once("exit 65");
  EXPECT_EQ(penstock({"dead", "requeue"}).exit_code, 2);
  const json look = penstock_json({"dead", "requeue", "--queue", "mail", "--dry-run"});
  EXPECT_EQ(look.at("requeued"), 1);
  EXPECT_EQ(shown(id).at("state"), "dead");
  EXPECT_EQ(penstock_json({"dead", "requeue", "--queue", "mail"}).at("requeued"), 1);
  work_once("exit 65");
  EXPECT_EQ(penstock_json({"dead", "list"}).at("items").at(0).at("id"), id);
  EXPECT_EQ(penstock_json({"dead", "purge", id}).at("purged"), 1);
  EXPECT_THAT(penstock_json({"dead", "list"}).at("items"), IsEmpty());
}

TEST_F(QueueCommandTest, APausedQueueGivesNothing) {
  const std::string id = enqueue();
  EXPECT_EQ(penstock({"queue", "set", "mail", "--pause", "--shards", "4"}).exit_code, 0);
  EXPECT_EQ(mail().at("paused"), true);
  EXPECT_EQ(mail().at("shards"), 4);
  work_once("true");
  EXPECT_THAT(shown(id).at("why").get<std::string>(), HasSubstr("paused"));
  EXPECT_EQ(penstock({"queue", "set", "mail", "--resume"}).exit_code, 0);
  work_once("true");
  EXPECT_EQ(mail().at("completed"), 1);
  EXPECT_EQ(penstock({"queue", "set", "mail"}).exit_code, 2);
}

TEST_F(QueueCommandTest, AnotherProgramTakesOverFromAKilledOne) {
  const std::string id = enqueue();
  {
    Program dying{folder_, work("echo $$ >> begun; exec sleep 1000")};
    ASSERT_TRUE(
        eventually(folder_.path(""), [&] { return !read_file(folder_.path("begun")).empty(); }));
    dying.kill();
  }
  kill_listed(folder_.path("begun"));
  Program heir{folder_, work("echo $PENSTOCK_ATTEMPT >> done")};
  EXPECT_TRUE(
      eventually(folder_.path(""), [&] { return read_file(folder_.path("done")) == "2\n"; }));
  heir.signal(SIGTERM);
  EXPECT_EQ(heir.wait().exit_code, 0);
  EXPECT_EQ(mail().at("completed"), 1);
}

TEST_F(QueueCommandTest, StopsOnSigtermWithoutSpendingAnAttempt) {
  const std::string id = enqueue();
  std::vector<std::string> arguments = work("echo $$ >> begun; exec sleep 1000");
  arguments.insert(arguments.end(), {"--grace", "10ms"});
  Program working{folder_, arguments};
  ASSERT_TRUE(
      eventually(folder_.path(""), [&] { return !read_file(folder_.path("begun")).empty(); }));
  working.signal(SIGTERM);
  EXPECT_EQ(working.wait().exit_code, 0);
  EXPECT_EQ(shown(id).at("attempts"), 0);
  EXPECT_NE(shown(id).at("state"), "running");
}

}  // namespace
}  // namespace penstock::test

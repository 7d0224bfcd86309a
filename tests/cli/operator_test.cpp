// What an operator does: list, show, requeue, bury, pause.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace penstock::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class OperatorTest : public testing::Test {
 protected:
  OperatorTest() { EXPECT_EQ(penstock({"handlers", "add", "mail", "--types", "*"}).exit_code, 0); }

  static std::vector<std::string> with_db(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--db", "sqlite:o.db"});
    return arguments;
  }
  Finished penstock(const std::vector<std::string>& arguments) {
    return run(folder_, with_db(arguments));
  }
  json penstock_json(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const Finished finished = penstock(arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return json::parse(finished.out);
  }
  void publish(const std::string& key = "") {
    penstock_json({"publish", "--type", "order.paid", "--key", key, "--payload", "1"});
  }
  std::string standing(const std::string& id) {
    return penstock_json({"show", id}).at("standing").get<std::string>();
  }
  void handle_once(const std::string& command) {
    EXPECT_EQ(penstock({"handle", "--handler", "mail", "--types", "*", "--until-idle", "--exec",
                        command, "--retry-delay", "1h", "--snooze", "1h"})
                  .exit_code,
              0);
  }

  const Folder folder_;
};

TEST_F(OperatorTest, ShowSaysThatADeliveryIsReady) {
  publish();

  const json shown = penstock_json({"show", "1"});

  EXPECT_EQ(shown.at("standing"), "ready");
  EXPECT_THAT(penstock({"show", "1"}).out, HasSubstr(shown.at("why").get<std::string>()));
}

TEST_F(OperatorTest, ShowSaysThatADeliveryIsNotDue) {
  publish();
  handle_once("exit 75");

  EXPECT_EQ(standing("1"), "not_due");
}

TEST_F(OperatorTest, ShowNamesTheDeliveryThatBlocksAKey) {
  publish("k");
  publish("k");
  handle_once("exit 1");

  const json shown = penstock_json({"show", "2"});

  EXPECT_EQ(shown.at("standing"), "key_blocked");
  EXPECT_EQ(shown.at("blocked_by"), "1");
}

TEST_F(OperatorTest, ShowSaysThatTheHandlerIsPausedOrGone) {
  publish();
  ASSERT_EQ(penstock({"handlers", "pause", "mail"}).exit_code, 0);
  EXPECT_EQ(standing("1"), "handler_paused");
  ASSERT_EQ(penstock({"handlers", "resume", "mail"}).exit_code, 0);
  EXPECT_EQ(standing("1"), "ready");

  ASSERT_EQ(penstock({"handlers", "remove", "mail"}).exit_code, 0);

  EXPECT_EQ(standing("1"), "no_handler");
}

TEST_F(OperatorTest, ShowSaysWhereADeliveryRunsAndThatItsWorkerFellSilent) {
  publish();
  Program program{folder_, with_db({"handle", "--handler", "mail", "--types", "*", "--lease", "1s",
                                    "--exec", "echo $$ > begun; exec sleep 1000"})};
  ASSERT_TRUE(
      eventually(folder_.path(""), [&] { return std::filesystem::exists(folder_.path("begun")); }));
  const json running = penstock_json({"show", "1"});
  EXPECT_EQ(running.at("standing"), "in_flight");
  EXPECT_THAT(running.at("lease_owner").get<std::string>(), testing::StartsWith("handle/"));
  const json lanes = penstock_json({"lanes"}).at("items");
  ASSERT_EQ(lanes.size(), 1U);
  EXPECT_EQ(lanes.at(0).at("in_flight"), json::array({"1"}));

  program.kill();

  // Asking takes longer than nothing, so the lease of a second ends while we ask.
  const auto deadline = std::chrono::steady_clock::now() + kProgramPatience;
  std::string now;
  while (now != "lease_expired" && std::chrono::steady_clock::now() < deadline) now = standing("1");
  EXPECT_EQ(now, "lease_expired");
  kill_listed(folder_.path("begun"));
}

TEST_F(OperatorTest, ShowTakesTheIdOfAnEvent) {
  ASSERT_EQ(penstock({"handlers", "add", "audit", "--types", "*"}).exit_code, 0);
  const std::string id =
      penstock_json({"publish", "--type", "t", "--payload", "1"}).at("id").get<std::string>();

  EXPECT_EQ(penstock_json({"show", id}).at("items").size(), 2U);
}

TEST_F(OperatorTest, ShowSaysThatACompletedDeliveryIsNotKept) {
  publish();
  handle_once("true");

  const Finished shown = penstock({"show", "1"});

  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_THAT(shown.err, HasSubstr("not kept"));
  EXPECT_THAT(shown.err, HasSubstr("every worker"));
  EXPECT_THAT(shown.err, HasSubstr("--db 'sqlite:o.db?completion_history=true'"));
}

TEST_F(OperatorTest, ShowDoesNotAdviseAHistoryThatThereIs) {
  const Finished shown = run(folder_, {"show", "7", "--db", "sqlite:o.db?completion_history=true"});

  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_THAT(shown.err, testing::Not(HasSubstr("--db")));
}

TEST_F(OperatorTest, AdviceCanBePastedWhateverTheNames) {
  const std::string db = "sqlite:it's mine.db";
  ASSERT_EQ(run(folder_, {"handlers", "add", "my mail", "--types", "*", "--db", db}).exit_code, 0);
  ASSERT_EQ(run(folder_, {"publish", "--type", "t", "--db", db}).exit_code, 0);

  EXPECT_THAT(run(folder_, {"list", "--status", "completed", "--db", db}).out,
              HasSubstr(R"(--db 'sqlite:it'\''s mine.db?completion_history=true'.)"));
  EXPECT_THAT(run(folder_, {"handlers", "remove", "my mail", "--db", db}).out,
              HasSubstr("penstock bury --handler 'my mail' ends them"));
}

TEST_F(OperatorTest, ShowPrintsHeadersAndThePayloadWhereAskedTo) {
  const std::string lines =
      "{\"type\":\"t\",\"payload\":\"日本\",\"headers\":{\"a\":\"b\"}}\n"
      "{\"type\":\"t\",\"payload_base64\":\"AP8=\",\"content_type\":\"x/y\"}\n";
  ASSERT_EQ(run(folder_, with_db({"publish", "--ndjson", "-"}), lines).exit_code, 0);

  const json hidden = penstock_json({"show", "1"});
  const json text = penstock_json({"show", "1", "--payload"});
  const json bytes = penstock_json({"show", "2", "--payload"});

  EXPECT_FALSE(hidden.contains("payload"));
  EXPECT_EQ(hidden.at("headers"), (json{{"a", "b"}}));
  EXPECT_EQ(text.at("payload"), "\"日本\"");
  EXPECT_EQ(bytes.at("payload_base64"), "AP8=");
  EXPECT_EQ(bytes.at("content_type"), "x/y");
  EXPECT_THAT(penstock({"show", "1", "--payload"}).out, testing::EndsWith("payload\n\"日本\"\n"));
  EXPECT_THAT(penstock({"show", "2", "--payload"}).out, testing::EndsWith("\nAP8=\n"));
}

TEST_F(OperatorTest, RemoveSaysWhatIsLeftAndHowToEndIt) {
  publish();

  const Finished removed = penstock({"handlers", "remove", "mail"});

  EXPECT_THAT(removed.out, HasSubstr("1 delivery is left pending"));
  EXPECT_THAT(removed.out, HasSubstr("penstock bury --handler mail"));
}

TEST_F(OperatorTest, AnUnknownCommandIsNamed) {
  EXPECT_THAT(penstock({"foo"}).err, HasSubstr("no command \"foo\"; penstock --help lists them"));
}

TEST_F(OperatorTest, ShowRefusesWhatIsNoId) { EXPECT_EQ(penstock({"show", "x1"}).exit_code, 2); }

TEST_F(OperatorTest, RequeueGivesADeadDeliveryAFreshBudget) {
  publish();
  handle_once("exit 65");
  ASSERT_EQ(standing("1"), "dead");

  EXPECT_EQ(penstock_json({"requeue", "1"}).at("requeued"), 1);

  EXPECT_EQ(standing("1"), "ready");
  EXPECT_EQ(penstock_json({"show", "1"}).at("attempts"), 0);
  handle_once("true");
  EXPECT_EQ(penstock_json({"list"}).at("items").size(), 0U);
}

TEST_F(OperatorTest, BuryKeepsTheReason) {
  publish();

  EXPECT_EQ(penstock_json({"bury", "1", "--reason", "customer is gone"}).at("buried"), 1);

  EXPECT_EQ(penstock_json({"show", "1"}).at("last_error"), "customer is gone");
}

TEST_F(OperatorTest, BuryKeepsTheErrorFromBefore) {
  publish();
  handle_once("echo no paper >&2; exit 1");

  penstock_json({"bury", "1", "--reason", "customer is gone"});

  EXPECT_THAT(penstock({"show", "1"}).out,
              HasSubstr("customer is gone (before: the command exited with 1: no paper)"));
}

TEST_F(OperatorTest, ActionsNameTheHandlersThereAreWhereTheirsIsUnknown) {
  publish();
  for (const std::string action : {"requeue", "bury"}) {
    const Finished finished = penstock({action, "--handler", "mial"});

    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, HasSubstr("no handler \"mial\""));
    EXPECT_THAT(finished.err, HasSubstr("there is mail"));
  }
  EXPECT_THAT(penstock({"list", "--handler", "mial"}).err, HasSubstr("there is mail"));
  EXPECT_THAT(penstock({"handlers", "pause", "mial"}).err, HasSubstr("there is mail"));
}

TEST_F(OperatorTest, ActionsKnowAHandlerByWhatItLeft) {
  publish();
  ASSERT_EQ(penstock({"handlers", "remove", "mail"}).exit_code, 0);

  EXPECT_EQ(penstock_json({"requeue", "--handler", "mail"}).at("requeued"), 0);
  EXPECT_EQ(penstock_json({"bury", "--handler", "mail"}).at("buried"), 1);
  EXPECT_EQ(penstock({"list", "--handler", "mail"}).err, "");
  EXPECT_THAT(penstock({"bury", "--handler", "mial"}).err, HasSubstr("there is mail"));
}

TEST_F(OperatorTest, ActionsSayWhereThereIsNoHandlerAtAll) {
  ASSERT_EQ(penstock({"handlers", "remove", "mail"}).exit_code, 0);

  EXPECT_THAT(penstock({"requeue", "--handler", "mail"}).err, HasSubstr("there is none"));
}

TEST_F(OperatorTest, CountsOneAsOne) {
  const std::string line = "{\"type\":\"t\",\"payload\":1}\n";

  EXPECT_EQ(run(folder_, with_db({"publish", "--ndjson", "-"}), line).out,
            "1 event published, 0 were there before, 1 delivery, 0 lines skipped.\n");
  EXPECT_THAT(penstock({"stats"}).out, testing::StartsWith("1 event, 0 takeovers\n"));
  EXPECT_THAT(penstock({"bury", "1"}).out, "1 delivery buried.\n");
  EXPECT_EQ(penstock({"purge", "--dead", "0", "--completed", "0"}).out,
            "Deleted: 1 event, 1 dead delivery, 0 completed ones of the history, 0 keys.\n");
}

TEST_F(OperatorTest, ActionsNeedASelection) {
  publish();

  EXPECT_EQ(penstock({"requeue"}).exit_code, 2);
  EXPECT_EQ(penstock({"bury"}).exit_code, 2);
  EXPECT_EQ(penstock({"bury", "1", "--all"}).exit_code, 2);
  EXPECT_EQ(standing("1"), "ready");
}

TEST_F(OperatorTest, ListPagesWithoutSkippingOrRepeating) {
  for (int i = 0; i < 5; ++i) publish();

  std::vector<std::string> ids;
  std::string after = "0";
  for (int pages = 0; pages < 4; ++pages) {
    const json page = penstock_json({"list", "--limit", "2", "--after", after});
    for (const json& item : page.at("items")) ids.push_back(item.at("id").get<std::string>());
    if (page.at("next").is_null()) break;
    after = page.at("next").get<std::string>();
  }

  EXPECT_THAT(ids, testing::ElementsAre("1", "2", "3", "4", "5"));
}

TEST_F(OperatorTest, ListMakesStoredControlCharactersVisible) {
  publish("k\x1b[31m");

  EXPECT_THAT(penstock({"list"}).out, HasSubstr("k\\x1b[31m"));
}

TEST_F(OperatorTest, PurgeDeletesDeadLettersOlderThanAsked) {
  publish();
  handle_once("exit 65");
  EXPECT_EQ(penstock_json({"purge"}).at("dead"), 0);

  EXPECT_EQ(penstock_json({"purge", "--dead", "0"}).at("dead"), 1);

  EXPECT_EQ(penstock_json({"list"}).at("items").size(), 0U);
}

TEST_F(OperatorTest, HandlersAreListed) {
  const json items = penstock_json({"handlers"}).at("items");

  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items.at(0).at("handler"), "mail");
  EXPECT_EQ(items.at(0).at("types"), json::array({"*"}));
  EXPECT_EQ(items.at(0).at("paused"), false);
}

TEST_F(OperatorTest, AddSaysWhatItChangesOfAHandler) {
  const std::vector<std::string> other{"handlers",       "add", "mail", "--types", "order.*",
                                       "--max-attempts", "3"};
  const std::vector<std::string> back{"handlers", "add", "mail", "--types", "*", "--json"};

  const Finished first = penstock(other);
  const Finished second = penstock(other);
  const Finished third = penstock(back);

  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(first.err,
            "penstock: warning: mail: types were *, now order.*; max attempts were 25, now 3\n");
  EXPECT_EQ(second.err, "");
  EXPECT_EQ(json::parse(third.err).at("message"),
            "mail: types were order.*, now *; max attempts were 3, now 25");
}

TEST_F(OperatorTest, AddSaysNothingOfANewHandlerOrOfTheOrderOfTypes) {
  EXPECT_EQ(penstock({"handlers", "add", "fax", "--types", "a,b"}).err, "");
  EXPECT_EQ(penstock({"handlers", "add", "fax", "--types", "b,a"}).err, "");
}

TEST_F(OperatorTest, StatsCountCompletedDeliveriesOnlyWhereTheyAreKept) {
  publish();
  handle_once("true");
  const std::vector<std::string> with_history{"stats", "--json", "--db",
                                              "sqlite:o.db?completion_history=true"};

  const json kept = json::parse(run(folder_, with_history).out);

  EXPECT_EQ(kept.at("handlers").at("mail").at("completed"), 0);
  EXPECT_TRUE(penstock_json({"stats"}).at("handlers").at("mail").at("completed").is_null());
}

TEST_F(OperatorTest, SqlPrintsAScriptThatMentionsEveryTable) {
  const Finished script = run(folder_, {"sql", "--db", "sqlite:other.db"});

  EXPECT_EQ(script.exit_code, 0);
  EXPECT_THAT(script.out, HasSubstr("create table penstock_deliveries"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("other.db")));
  EXPECT_EQ(run(folder_, {"sql", "--db", "memory:"}).exit_code, 2);
}

}  // namespace
}  // namespace penstock::test

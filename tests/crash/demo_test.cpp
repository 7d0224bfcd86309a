// The demo at a small size: real processes, real kills, and the auditor over what they left.
// PENSTOCK_SOAK=1 runs it at full size.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "demo/auditor.hpp"
#include "demo/journal.hpp"
#include "demo/workload.hpp"
#include "penstock/admin.hpp"
#include "penstock/store.hpp"

namespace penstock::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

bool is_soak() { return std::getenv("PENSTOCK_SOAK") != nullptr; }

class DemoTest : public testing::Test {
 protected:
  struct Size {
    std::string events{};
    std::string workers{};
    std::string kills{};
  };
  static Size small() { return {.events = "400", .workers = "3", .kills = "2"}; }
  static Size full() { return {.events = "20000", .workers = "4", .kills = "5"}; }
  /// Without kills, for what is not about them.
  static Size peaceful() { return {.events = "50", .workers = "2", .kills = "0"}; }

  Finished demo(const Size& size, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"demo",       "--db",      "sqlite:p.db",
                                       "--events",   size.events, "--workers",
                                       size.workers, "--kills",   size.kills};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(folder_, arguments);
  }
  static json verdict_of(const Finished& finished) {
    const std::string text = finished.out.substr(0, finished.out.size() - 1);
    return json::parse(text.substr(text.find_last_of('\n') + 1));
  }

  const Folder folder_;
};

TEST_F(DemoTest, LosesNothingAndKeepsOrderWhileItsWorkersAreKilled) {
  const Finished finished = demo(is_soak() ? full() : small(), {"--json"});

  ASSERT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  const json verdict = verdict_of(finished);
  for (const char* const name : {"lost", "unexpected", "order_violations", "pending"}) {
    EXPECT_EQ(verdict.at(name), 0) << name;
  }
  EXPECT_EQ(verdict.at("kills"), is_soak() ? 5 : 2);
  EXPECT_GE(verdict.at("kills_in_flight"), 1);
  EXPECT_GE(verdict.at("takeovers"), 1);
  EXPECT_EQ(verdict.at("dead"), 1);
  EXPECT_EQ(verdict.at("handled").get<int>() + 1, verdict.at("deliveries").get<int>());
}

TEST_F(DemoTest, EndsItsOutputWithExactlyTheFieldsOfTheVerdict) {
  const json verdict = verdict_of(demo(peaceful(), {"--json"}));

  std::vector<std::string> names;
  for (const auto& [name, value] : verdict.items()) names.push_back(name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("store", "published", "handlers", "deliveries",
                                                   "handled", "duplicates", "lost", "unexpected",
                                                   "order_violations", "pending", "dead", "kills",
                                                   "kills_in_flight", "takeovers",
                                                   "server_restarts", "seconds", "latency_ms"));
  names.clear();
  for (const auto& [name, value] : verdict.at("latency_ms").items()) names.push_back(name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("p50", "p95", "p99"));
}

TEST_F(DemoTest, LeavesAStoreThatTheAuditorConfirms) {
  ASSERT_EQ(demo(small()).exit_code, 0);

  cli::demo::JournalReader journals{folder_.path("p.db-demo")};
  journals.read_on();
  cli::demo::Evidence evidence{.handlers = cli::demo::handlers(),
                               .published = journals.published(),
                               .handled = journals.handled()};
  const auto store = open_store("sqlite:" + folder_.path("p.db").string());
  Admin admin{store->bus()};
  for (const DeliveryInfo& delivery : admin.list({.status = DeliveryStatus::dead}).items) {
    evidence.dead.insert({delivery.handler, delivery.event_id});
  }
  for (const auto& [name, one] : admin.statistics().handlers) {
    evidence.pending += one.pending + one.in_flight;
  }

  EXPECT_TRUE(audit(evidence).is_good());
  ASSERT_EQ(evidence.dead.size(), 1U);
  EXPECT_EQ(evidence.dead.begin()->handler, cli::demo::kPoisonHandler);
}

TEST_F(DemoTest, RunsTwiceOnItsOwnFileAndTellsANewcomerWhatToDo) {
  ASSERT_EQ(demo(peaceful()).exit_code, 0);

  const Finished again = demo(peaceful());

  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("Verdict: good"));
  EXPECT_THAT(again.out, HasSubstr("export PENSTOCK_DB=sqlite:p.db\n"));
  EXPECT_THAT(again.out, HasSubstr(" requeue "));
}

TEST_F(DemoTest, TouchesNoFileThatItDidNotMake) {
  write_file(folder_.path("p.db"), "mine");
  EXPECT_EQ(demo(peaceful()).exit_code, 2);
  EXPECT_EQ(read_file(folder_.path("p.db")), "mine");

  std::filesystem::remove(folder_.path("p.db"));
  ASSERT_EQ(run(folder_, {"setup", "--db", "sqlite:p.db"}).exit_code, 0);
  EXPECT_EQ(demo(peaceful()).exit_code, 2);
}

TEST_F(DemoTest, TouchesNoOtherStoreThatTookThePlaceOfItsOwn) {
  ASSERT_EQ(demo(peaceful()).exit_code, 0);
  for (const char* const suffix : {"", "-wal", "-shm"}) {
    std::filesystem::remove(folder_.path(std::string{"p.db"} + suffix));
  }
  ASSERT_EQ(run(folder_, {"setup", "--db", "sqlite:p.db"}).exit_code, 0);

  EXPECT_EQ(demo(peaceful()).exit_code, 2);
}

TEST_F(DemoTest, RefusesWhatItCannotDo) {
  EXPECT_EQ(run(folder_, {"demo", "--db", "memory:"}).exit_code, 2);
  EXPECT_EQ(demo(peaceful(), {"--server-restarts", "1"}).exit_code, 2);
  EXPECT_EQ(run(folder_, {"demo", "--workers", "0"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("p.db")));
}

}  // namespace
}  // namespace penstock::test

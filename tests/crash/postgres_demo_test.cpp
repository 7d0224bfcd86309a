// The demo on a PostgreSQL server of its own, that is killed too. PENSTOCK_SOAK=1: at full size.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/postgres_server.hpp"

namespace penstock::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class PostgresDemoTest : public testing::Test {
 protected:
  Finished demo(const std::vector<std::string>& more) {
    const bool soak = std::getenv("PENSTOCK_SOAK") != nullptr;
    std::vector<std::string> arguments{"demo",      "--db",          server_.url(),
                                       "--json",    "--events",      soak ? "50000" : "400",
                                       "--workers", soak ? "8" : "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(folder_, arguments);
  }
  static json good_verdict_of(const Finished& finished) {
    EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
    const json verdict = json::parse(finished.out);
    for (const char* const name : {"lost", "unexpected", "order_violations", "pending"}) {
      EXPECT_EQ(verdict.at(name), 0) << name;
    }
    EXPECT_EQ(verdict.at("dead"), 1);
    return verdict;
  }

  const PostgresServer server_{{"fsync=on"}};
  const Folder folder_;
};

TEST_F(PostgresDemoTest, LosesNothingAndKeepsOrderWhileItsWorkersAreKilled) {
  const json verdict = good_verdict_of(demo({"--kills", "2"}));

  EXPECT_EQ(verdict.at("kills"), 2);
  EXPECT_GE(verdict.at("kills_in_flight"), 1);
  EXPECT_GE(verdict.at("takeovers"), 1);
}

TEST_F(PostgresDemoTest, LosesNothingAndKeepsOrderWhileTheServerIsKilled) {
  const std::string script = PENSTOCK_TEST_SUPPORT_FOLDER "/postgres_server.sh";
  const std::string restart = "'" + script + "' kill " + server_.folder() + " && '" + script +
                              "' start " + server_.folder();

  const json verdict = good_verdict_of(
      demo({"--kills", "1", "--server-restarts", "2", "--restart-command", restart}));

  EXPECT_EQ(verdict.at("server_restarts"), 2);
}

TEST_F(PostgresDemoTest, RunsTwiceAndTouchesNothingOfOthers) {
  const Session user{server_.url()};
  user.ask("create schema shop");
  user.ask("create table shop.orders(id int)");
  ASSERT_EQ(demo({"--kills", "0"}).exit_code, 0);
  EXPECT_EQ(demo({"--kills", "0"}).exit_code, 0);

  EXPECT_EQ(user.ask("select count(*) from shop.orders"), "0");
  const Finished refused = run(folder_, {"demo", "--db", server_.url("schema=shop")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("penstock_demo"));
}

TEST_F(PostgresDemoTest, TellsWhatToPasteNextWithoutThePassword) {
  const Finished finished = run(
      folder_, {"demo", "--db", server_.url("password=s3cret"), "--events", "20", "--kills", "0"});

  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, testing::Not(HasSubstr("s3cret")));
  EXPECT_THAT(finished.out, HasSubstr("export PENSTOCK_DB='postgresql://"));
  EXPECT_THAT(finished.out, HasSubstr("password=YOUR_PASSWORD"));
}

}  // namespace
}  // namespace penstock::test

// `penstock setup` and `penstock sql` on PostgreSQL, mostly on a database of version 0.1.0.
#include "exit_code.hpp"
#include "program.hpp"
#include "store/postgres/old_database.hpp"

namespace penstock::test {
namespace {

using postgres::detail::UpgradeTest;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class CliUpgradeTest : public UpgradeTest {
 protected:
  [[nodiscard]] std::string url() const {
    return server_url(shared_server(), "schema=" + old_.schema() + "&prefix=relaybus_");
  }
  [[nodiscard]] Finished penstock(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--db", url()});
    return run(folder_, arguments);
  }

  Folder folder_;
};

TEST_F(CliUpgradeTest, SetupConvertsTheTables) {
  old_.fill();
  EXPECT_EQ(penstock({"setup", "--check"}).exit_code, static_cast<int>(cli::ExitCode::schema));

  EXPECT_EQ(penstock({"setup"}).exit_code, 0);

  EXPECT_EQ(penstock({"setup", "--check"}).exit_code, 0);
  EXPECT_FALSE(old_.is_old());
  EXPECT_THAT(penstock({"stats"}).out, ContainsRegex("receipt +2 +2 +0 +1 +1 "));
}

TEST_F(CliUpgradeTest, SetupNamesTheWorkersThatAreInTheWayAndCanBeForced) {
  old_.fill();
  old_.ask("update relaybus_deliveries set lease_expires_at = '2100-01-01Z' where id = 'd8'");

  const Finished refused = penstock({"setup"});

  EXPECT_EQ(refused.exit_code, static_cast<int>(cli::ExitCode::conflict));
  EXPECT_THAT(refused.err, HasSubstr("worker-a"));
  EXPECT_TRUE(old_.is_old());
  EXPECT_EQ(penstock({"setup", "--force"}).exit_code, 0);
  EXPECT_TRUE(old_.is_current());
}

TEST_F(CliUpgradeTest, SqlPrintsAScriptThatConverts) {
  old_.fill();

  const Finished script = penstock({"sql", "--upgrade"});

  ASSERT_EQ(script.exit_code, 0) << script.err;
  EXPECT_TRUE(old_.is_old());
  old_.ask(script.out);
  EXPECT_EQ(penstock({"setup", "--check"}).exit_code, 0);
}

TEST_F(CliUpgradeTest, SqlPrintsAScriptThatMakesTheTables) {
  old_.ask("drop schema " + old_.schema() + " cascade");

  old_.ask(penstock({"sql"}).out);

  EXPECT_EQ(penstock({"setup", "--check"}).exit_code, 0);
}

TEST(CliRoles, SqlPrintsThemForTheNamesOfTheStore) {
  const Folder folder;

  const Finished script =
      run(folder, {"sql", "--roles", "--db", "postgresql:///shop?schema=my&prefix=p_"});

  ASSERT_EQ(script.exit_code, 0) << script.err;
  EXPECT_THAT(script.out, HasSubstr(R"(grant usage on schema "my" to "p_penstock_publisher")"));
  EXPECT_THAT(script.out, HasSubstr(R"("my"."p_publish_many")"));
  EXPECT_THAT(script.out, HasSubstr("-- penstock_worker"));
}

TEST(CliRoles, AreRefusedForAStoreWithoutThemAndBesideAnotherScript) {
  const Folder folder;

  const Finished on_sqlite = run(folder, {"sql", "--roles", "--db", "sqlite:orders.db"});
  const Finished both = run(folder, {"sql", "--roles", "--upgrade", "--db", "postgresql:///shop"});

  EXPECT_EQ(on_sqlite.exit_code, static_cast<int>(cli::ExitCode::usage));
  EXPECT_THAT(on_sqlite.err, HasSubstr("only PostgreSQL has roles; found \"sqlite:\""));
  EXPECT_EQ(both.exit_code, static_cast<int>(cli::ExitCode::usage));
}

TEST(CliUpgrade, IsRefusedForAStoreThatTheOldVersionDidNotHave) {
  const Folder folder;

  const Finished refused = run(folder, {"sql", "--upgrade", "--db", "sqlite:orders.db"});

  EXPECT_EQ(refused.exit_code, static_cast<int>(cli::ExitCode::usage));
  EXPECT_THAT(refused.err, HasSubstr("0.1.0"));
}

}  // namespace
}  // namespace penstock::test

// The scenarios under pressure on small runs: that they disturb, that nothing is lost meanwhile,
// and that what was lost would be found. And two builds side by side; and the pages.
#include <gmock/gmock.h>

#include <string>

#include "program.hpp"
#include "support/postgres_server.hpp"

namespace penstock::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class BenchPressureTest : public testing::Test {
 protected:
  /// Of two processes. They never run dry before the pressure: it begins after a moment.
  Ended under(const std::string& pressure, const std::string& more = {},
              const std::string& defect = {}) {
    return run_bench("pressure --db '" + server_.url() +
                         "' --samples 1 --window 0.3 --held 1.2 --preload 30000 --keys two_hundred "
                         "--processes 2 --configs defaults --who penstock --only '" +
                         pressure + "' " + more,
                     defect.empty() ? "" : "PENSTOCK_BENCH_DEFECT=" + defect);
  }

  void expect_exact(const Ended& run, const std::string& name) {
    EXPECT_EQ(run.exit_code, 0) << run.output;
    EXPECT_THAT(run.output, HasSubstr("| pressure | " + name));
    EXPECT_THAT(run.output, HasSubstr("every run was exact"));
  }

  const PostgresServer server_{{"max_connections=500"}};
};

TEST_F(BenchPressureTest, ReadsWhileItDispatches) { expect_exact(under("readers"), "4 readers"); }

TEST_F(BenchPressureTest, OpensIdleSessions) { expect_exact(under("idle"), "300 idle sessions"); }

TEST_F(BenchPressureTest, KillsAProcess) { expect_exact(under("one kill"), "one kill"); }

TEST_F(BenchPressureTest, EndsSessions) { expect_exact(under("ended"), "sessions ended"); }

TEST_F(BenchPressureTest, RestartsTheServer) {
  const std::string script = "\"" PENSTOCK_TEST_SUPPORT_FOLDER "/postgres_server.sh\"";
  const std::string restart =
      script + " kill " + server_.folder() + " && " + script + " start " + server_.folder();

  expect_exact(under("restarted", "--restart-command '" + restart + "'"), "server restarted");
}

TEST_F(BenchPressureTest, SaysWhatIsNeededToRestartTheServer) {
  const Ended run = under("restarted");

  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("--restart-command"));
}

TEST_F(BenchPressureTest, RefusesARestartThatFailed) {
  const Ended run = under("restarted", "--restart-command false");

  EXPECT_EQ(run.exit_code, 6);
  EXPECT_THAT(run.output, HasSubstr("the restart command ended with status"));
}

TEST_F(BenchPressureTest, FindsWhatWasLostAmongRepeats) {
  const Ended run = under("ended", "", "skip_one");

  EXPECT_EQ(run.exit_code, 6);
  EXPECT_THAT(run.output, HasSubstr("lost 1"));
}

TEST_F(BenchPressureTest, MeasuresTwoBuildsInTurn) {
  const std::string both =
      std::string(" --base '") + PENSTOCK_BENCH + "' --candidate '" + PENSTOCK_BENCH + "'";

  const Ended run = run_bench("dispatch --db '" + server_.url() +
                              "' --samples 1 --window 1 --preload 2000 --configs defaults" + both);

  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("| base | "));
  EXPECT_THAT(run.output, ContainsRegex("\\| candidate \\| [^|]*\\| [0-9.]+ × "));
}

TEST_F(BenchPressureTest, RefusesAProgramThatIsNoBenchmark) {
  const Ended run = run_bench("dispatch --db '" + server_.url() +
                              "' --samples 1 --window 1 --preload 100 --configs defaults "
                              "--base /bin/false --candidate '" +
                              PENSTOCK_BENCH + "'");

  EXPECT_EQ(run.exit_code, 6) << run.output;
  EXPECT_THAT(run.output, HasSubstr("| base | INVALID"));
  EXPECT_THAT(run.output, Not(HasSubstr("| candidate | INVALID")));
}

TEST_F(BenchPressureTest, FindsOnThePagesWhatTheDesignsPromise) {
  const Ended run = run_bench("pages --db '" + server_.url() + "'");

  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("| baseline | none | 3 | 17 | 1 | 2 | 0 | 0 | as designed |"));
  EXPECT_THAT(run.output, HasSubstr("| penstock | none | 1 | 3 | 1 | 0 | 0 | 1 | as designed |"));
}

}  // namespace
}  // namespace penstock::test

// The peers are judged as strictly as penstock is: what one of them did not do exactly is no number
// to compare with. A peer that cannot be had here is skipped, and said so.
#include <gmock/gmock.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "program.hpp"
#include "support/postgres_server.hpp"

namespace penstock::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// What the test runner takes for a skipped test.
constexpr int kCannotBeHad = 77;

class BenchPeerTest : public testing::TestWithParam<std::string> {
 protected:
  Ended run(const std::string& environment, const std::string& scenario) {
    const Ended ended = run_bench(
        scenario + " --db '" + server_.url() + "' --samples 1 --who " + GetParam(), environment);
    const std::string left_out = "PEER LEFT OUT: " + GetParam();
    const std::size_t at = ended.output.find(left_out);
    if (at == std::string::npos) return ended;
    std::cout << "cannot be had: " << GetParam() << ", for the benchmark\n"
              << ended.output.substr(at) << std::endl;
    std::_Exit(kCannotBeHad);
  }

  Ended dispatch_with(const std::string& defect) {
    return run("PENSTOCK_BENCH_DEFECT=" + defect,
               "dispatch --window 6 --preload 3000 --configs tuned");
  }

  void expect_refused(const std::string& defect, const std::string& reason) {
    const Ended ended = dispatch_with(defect);

    EXPECT_EQ(ended.exit_code, 6) << ended.output;
    EXPECT_THAT(ended.output, HasSubstr("| " + GetParam() + " | INVALID |"));
    EXPECT_THAT(ended.output, HasSubstr(reason));
    EXPECT_THAT(ended.output, Not(HasSubstr("every run was exact")));
  }

  const PostgresServer server_;
};

TEST_P(BenchPeerTest, DispatchesExactlyWhatWasPublished) {
  const Ended ended = dispatch_with("");

  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("every run was exact"));
  EXPECT_THAT(ended.output, HasSubstr("| " + GetParam() + ": "));
}

TEST_P(BenchPeerTest, PublishesExactlyWhatItSays) {
  const Ended ended = run("", "publish --window 0.5 --only 'P=8 batch=100 pool=10'");

  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("every run was exact"));
}

TEST_P(BenchPeerTest, RefusesARunThatSkippedAHandling) { expect_refused("skip_one", "lost 1"); }

TEST_P(BenchPeerTest, RefusesARunThatHandledOneTwice) { expect_refused("twice", "duplicates 1"); }

INSTANTIATE_TEST_SUITE_P(Peers, BenchPeerTest, testing::Values("pgq", "graphile"),
                         [](const auto& peer) { return peer.param; });

TEST(BenchAbsentPeer, IsNamedAndTheOthersGoOn) {
  const PostgresServer server;

  // Without a PATH there is nothing that graphile-worker could be installed with.
  const Ended ended = run_bench("dispatch --db '" + server.url() +
                                    "' --samples 1 --window 6 --preload 500 --configs tuned "
                                    "--who penstock,graphile",
                                "PATH=/nonexistent");

  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("PEER LEFT OUT: graphile cannot be had: "));
  EXPECT_THAT(ended.output, HasSubstr("| penstock | "));
}

TEST(BenchAbsentPeer, LeavesNothingToMeasureWhereItIsAlone) {
  const Ended ended = run_bench("dispatch --db memory: --samples 1 --who pgq");

  EXPECT_EQ(ended.exit_code, 1) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("PEER LEFT OUT: pgq cannot be had: it needs a PostgreSQL"));
  EXPECT_THAT(ended.output, HasSubstr("nothing was measured"));
}

}  // namespace
}  // namespace penstock::test

// A benchmark that would count work that was lost, repeated or reordered is worth nothing. So one
// of its processes is made to do just that, and the run must be refused.
#include <gmock/gmock.h>

#include <string>

#include "program.hpp"
#include "support/postgres_server.hpp"

namespace penstock::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class BenchDefectTest : public testing::Test {
 protected:
  /// Two processes on 2,000 events of 400 keys.
  Ended dispatch_with(const std::string& defect) {
    return run_bench("dispatch --db '" + server_.url() +
                         "' --samples 1 --window 6 --preload 2000 --keys two_hundred --processes 2 "
                         "--configs defaults --who penstock",
                     "PENSTOCK_BENCH_DEFECT=" + defect);
  }

  void expect_refused(const std::string& defect, const std::string& reason) {
    const Ended run = dispatch_with(defect);

    EXPECT_EQ(run.exit_code, 6) << run.output;
    EXPECT_THAT(run.output, HasSubstr("| penstock | INVALID |"));
    EXPECT_THAT(run.output, HasSubstr(reason));
    EXPECT_THAT(run.output, Not(HasSubstr("every run was exact")));
  }

  const PostgresServer server_;
};

TEST_F(BenchDefectTest, ReportsTheRateOfAnExactRun) {
  const Ended run = dispatch_with("");

  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("every run was exact"));
  EXPECT_THAT(run.output, Not(HasSubstr("INVALID")));
}

TEST_F(BenchDefectTest, RefusesARunThatSkippedADelivery) { expect_refused("skip_one", "lost 1"); }

TEST_F(BenchDefectTest, RefusesARunThatHandledADeliveryTwice) {
  expect_refused("twice", "duplicates 1");
}

TEST_F(BenchDefectTest, RefusesARunThatSwappedTwoDeliveriesOfAKey) {
  expect_refused("swap_two", "order violations");
}

}  // namespace
}  // namespace penstock::test

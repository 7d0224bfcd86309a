// A baseline that does not cost what version 0.1.0 did is refused.
#include "scenarios/baseline_band.hpp"

#include <gmock/gmock.h>

namespace penstock::bench {
namespace {

using testing::HasSubstr;

/// 10,000 deliveries at what one cost in 0.1.0.
Measurement dispatched() {
  return {.units = 10'000,
          .cost = {.wal_bytes = 16'000'000,
                   .statements = 10'200,
                   .deliveries = TupleCounters{.updated = 20'000}}};
}

TEST(BaselineBand, LetsTheCostOf010Pass) { EXPECT_EQ(baseline_problem(dispatched()), ""); }

TEST(BaselineBand, RefusesOneUpdateLess) {
  Measurement one = dispatched();
  one.cost.deliveries->updated = 10'000;

  EXPECT_EQ(baseline_problem(one),
            "the baseline is not that of 0.1.0: 1.00 updates of deliveries for each, expected 1.90 "
            "to 2.50");
}

TEST(BaselineBand, RefusesHeapOnlyUpdates) {
  Measurement one = dispatched();
  one.cost.deliveries->heap_only = 1'000;

  EXPECT_THAT(baseline_problem(one), HasSubstr("5.0 % of them heap-only"));
}

TEST(BaselineBand, RefusesABatchOfCompletionsInOneStatement) {
  Measurement one = dispatched();
  one.cost.statements = 100;

  EXPECT_THAT(baseline_problem(one), HasSubstr("0.01 statements for each"));
}

TEST(BaselineBand, RefusesLessWal) {
  Measurement one = dispatched();
  one.cost.wal_bytes = 3'000'000;

  EXPECT_THAT(baseline_problem(one), HasSubstr("300 B of WAL for each"));
}

TEST(BaselineBand, SaysNothingOfWhatIsTooShortOrWasNotCounted) {
  Measurement few = dispatched();
  few.units = 100;
  EXPECT_EQ(baseline_problem(few), "");
  EXPECT_EQ(baseline_problem({.units = 10'000}), "");
}

}  // namespace
}  // namespace penstock::bench

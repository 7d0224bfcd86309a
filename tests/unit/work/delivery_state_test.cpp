// What a crash costs.
#include "work/delivery_state.hpp"

#include <gtest/gtest.h>

namespace penstock::work {
namespace {

TEST(CrashCharge, CostsOneAttempt) { EXPECT_EQ(charge_for_crash(3, false, 25).attempts, 4); }

TEST(CrashCharge, BuriesNoNeighbour) {
  EXPECT_FALSE(charge_for_crash(2, false, 3).bury);
  EXPECT_FALSE(charge_for_crash(1'000, false, 3).bury);
}

TEST(CrashCharge, BuriesASuspectWithoutAttemptsLeft) {
  EXPECT_FALSE(charge_for_crash(1, true, 3).bury);
  EXPECT_TRUE(charge_for_crash(2, true, 3).bury);
}

TEST(CrashCharge, BuriesNothingOfAnUnknownHandler) {
  EXPECT_FALSE(charge_for_crash(1'000, true, std::nullopt).bury);
}

}  // namespace
}  // namespace penstock::work

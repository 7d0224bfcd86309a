// The lane hash must be the same number in C++, in SQL and for ever.
#include "work/lane_hash.hpp"

#include <gtest/gtest.h>

namespace penstock::work {
namespace {

TEST(LaneHash, EqualsThePublishedVectors) {
  EXPECT_EQ(lane_hash(""), 2166136261U);
  EXPECT_EQ(lane_hash("a"), 3826002220U);
  EXPECT_EQ(lane_hash("order-42"), 1461995252U);
  EXPECT_EQ(lane_hash("octo-org/octo-repo"), 750087692U);
  EXPECT_EQ(lane_hash("日本"), 2670128721U);
}

TEST(LaneHash, TakesTheLowByteAsLane) {
  EXPECT_EQ(lane_of("order-42"), LaneId{244});
  EXPECT_EQ(lane_of("octo-org/octo-repo"), LaneId{12});
  EXPECT_EQ(lane_of("日本"), LaneId{81});
}

TEST(LaneHash, UsesTheCanonicalIdOfAKeylessEvent) {
  const auto id = EventId::parse("0190A5B2-0000-7000-8000-00000000ABCD").value();
  const Event event{.type = "t", .id = id};

  EXPECT_EQ(lane_of(event), lane_of("0190a5b2-0000-7000-8000-00000000abcd"));
}

TEST(LaneHash, PrefersTheKey) {
  const Event event{.type = "t", .key = "order-42", .id = EventId::generate()};

  EXPECT_EQ(lane_of(event), LaneId{244});
}

}  // namespace
}  // namespace penstock::work

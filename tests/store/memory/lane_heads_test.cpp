// The lanes in which something waits, and the oldest there.
#include "store/memory/lane_heads.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace penstock::memory {
namespace {

using testing::ElementsAre;

std::vector<std::size_t> lanes_of(const LaneSet& set) {
  std::vector<std::size_t> lanes;
  for (std::size_t i = set.from(0); i < kLanes; i = set.from(i + 1)) lanes.push_back(i);
  return lanes;
}

TEST(LaneSet, IsWalkedInOrderAcrossItsWords) {
  LaneSet set;
  for (const std::size_t lane : {255U, 0U, 64U, 63U, 128U, 7U}) set.insert(lane);
  set.erase(7);

  EXPECT_THAT(lanes_of(set), ElementsAre(0, 63, 64, 128, 255));
  EXPECT_EQ(set.from(65), 128U);
  EXPECT_EQ(set.from(kLanes), static_cast<std::size_t>(kLanes));
}

TEST(LaneHeads, FollowTheFrontOfAQueueAndItsEnd) {
  LaneHeads heads;
  WaitingQueue queue;
  const Waiting younger{.available_at = Timestamp{} + std::chrono::seconds{2}, .id = 1};
  const Waiting older{.available_at = Timestamp{} + std::chrono::seconds{1}, .id = 2};
  queue.insert(younger);
  heads.follow(70, queue);
  EXPECT_EQ(heads.of(70).id, 1);

  queue.insert(older);
  heads.follow(70, queue);

  EXPECT_EQ(heads.of(70).id, 2);
  EXPECT_THAT(lanes_of(heads.lanes()), ElementsAre(70));
  heads.follow(70, WaitingQueue{});
  EXPECT_THAT(lanes_of(heads.lanes()), ElementsAre());
}

}  // namespace
}  // namespace penstock::memory

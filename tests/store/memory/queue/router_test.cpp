#include "store/memory/queue/router.hpp"

#include <gtest/gtest.h>

#include <set>

namespace penstock::memory {
namespace {

QueueRecord queue_of(int shards) { return {.settings = {.queue = "q", .shards = shards}}; }

}  // namespace

TEST(Router, SendsAKeyByItsHash) {
  QueueRecord queue = queue_of(64);

  EXPECT_EQ(Router().lane_for(queue, {.key = "order-42"}).shard, work::shard_of("order-42", 64));
}

TEST(Router, KeepsJobsWithoutKeyOfOneCallTogether) {
  QueueRecord queue = queue_of(4);
  Router router;

  const QueueLane& first = router.lane_for(queue, {});
  EXPECT_EQ(&router.lane_for(queue, {}), &first);
}

TEST(Router, GoesOnToTheNextShardWithEveryCall) {
  QueueRecord queue = queue_of(4);

  std::set<int> shards;
  for (int call = 0; call < 4; ++call) shards.insert(Router().lane_for(queue, {}).shard);

  EXPECT_EQ(shards.size(), 4U);
}

// Two queues, or two priorities, in turn must not see every second shard only.
TEST(Router, CountsEachPriorityForItself) {
  QueueRecord queue = queue_of(2);

  std::set<int> shards;
  for (int call = 0; call < 2; ++call) {
    shards.insert(Router().lane_for(queue, {.priority = 1}).shard);
    EXPECT_EQ(Router().lane_for(queue, {.priority = 2}).shard, call);
  }

  EXPECT_EQ(shards.size(), 2U);
}

TEST(Router, RoutesByThePresentWidth) {
  QueueRecord queue = queue_of(64);
  ASSERT_EQ(Router().rotor_shard(queue, 2), 0);
  queue.settings.shards = 1;

  EXPECT_EQ(Router().rotor_shard(queue, 2), 0);  // The second turn, of one.
  EXPECT_EQ(Router().lane_for(queue, {.key = "order-42"}).shard, 0);
}

}  // namespace penstock::memory

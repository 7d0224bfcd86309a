// Fairness: no lane, handler or worker waits for ever while others are served.
#include <set>

#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::SizeIs;

// Known fault 171 has the reverse: candidates that one claim hid from all others.
TEST_P(FairnessContract, ServesEveryWorkerThatAsks) {
  subscribe("h");
  publish_many(100);

  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(claimed_count({.worker = "worker-" + std::to_string(i), .limit = 1}), 1U)
        << "worker " << i;
  }
}

TEST_P(FairnessContract, LetsNoLaneStarveWhileOthersAreRefilled) {
  subscribe("h");
  const std::string waiting = keys_in_lane(200, 1)[0];
  const std::vector<std::string> busy = {keys_in_lane(1, 1)[0], keys_in_lane(2, 1)[0],
                                         keys_in_lane(250, 1)[0]};
  for (const std::string& key : busy) publish_key(key, 5);
  publish(keyed(waiting));

  bool served = false;
  for (int i = 0; i < 300 && !served; ++i) {
    for (const Work& work : claim({.limit = 1}).work) {
      served = served || work.event->key == waiting;
      EXPECT_EQ(complete(work.token), Verdict::done);
    }
    for (const std::string& key : busy) publish(keyed(key));
    clock().advance(1ms);
  }

  EXPECT_TRUE(served);
}

TEST_P(FairnessContract, LetsNoLaneStarveWhileOthersHaveABacklog) {
  subscribe("h");
  std::set<std::int32_t> lanes;
  for (int i = 0; i < 400; ++i) {
    const EventId id = publish_type("order.paid");
    lanes.insert(show(id).lane.value);
  }

  std::set<std::int32_t> served;
  for (int i = 0; i < 400 && served != lanes; ++i) {
    for (const Work& work : claim({.limit = 1}).work) {
      served.insert(show(*work.event->id).lane.value);
      EXPECT_EQ(complete(work.token), Verdict::done);
    }
  }

  EXPECT_EQ(served, lanes);
}

TEST_P(FairnessContract, LetsNoHandlerStarveWhileAnotherIsRefilled) {
  subscribe("busy", "busy");
  subscribe("rare", "rare");
  for (int i = 0; i < 20; ++i) publish_type("busy");
  publish_type("rare");

  bool served = false;
  for (int i = 0; i < 300 && !served; ++i) {
    for (const Work& work : claim({.handlers = {"busy", "rare"}, .limit = 1}).work) {
      served = served || work.handler == "rare";
      EXPECT_EQ(complete(work.token), Verdict::done);
    }
    publish_type("busy");
    clock().advance(1ms);
  }

  EXPECT_TRUE(served);
}

// A worker that always has something running in a lane would hold it for ever.
TEST_P(FairnessContract, ALaneIsHandedBackWhileWorkOfAnotherWorkersHandlerWaitsInIt) {
  subscribe("common", "common");
  subscribe("rare", "rare");
  const std::vector<std::string> keys = keys_in_lane(9, 400);
  const ClaimWish common{.worker = "worker-a", .handlers = {"common"}, .limit = 1};
  const ClaimWish rare{.worker = "worker-b", .handlers = {"rare"}, .limit = 1};
  publish({.type = "common", .key = keys[0]});
  std::vector<Work> running = claim(common).work;
  ASSERT_THAT(running, SizeIs(1));
  publish({.type = "rare", .key = keys[0]});

  bool served = false;
  for (std::size_t i = 1; i < keys.size() && !served; ++i) {
    publish({.type = "common", .key = keys[i]});
    clock().advance(1ms);
    std::vector<Work> next = claim(common).work;
    for (const Work& work : running) EXPECT_EQ(complete(work.token), Verdict::done);
    running = std::move(next);
    served = !claim(rare).work.empty();
  }

  EXPECT_TRUE(served) << "the other worker never got the lane";
}

TEST_P(FairnessContract, AWorkerStillGetsItsWorkWhereNobodyRunsTheOtherHandler) {
  subscribe("common", "*");
  subscribe("nobodys", "*");
  publish_key("k", 20);

  std::size_t handled = 0;
  for (int i = 0; i < 200 && handled < 20; ++i) {
    for (const Work& work : claim({.handlers = {"common"}}).work) {
      EXPECT_EQ(complete(work.token), Verdict::done);
      ++handled;
    }
  }

  EXPECT_EQ(handled, 20U);
}

// Known fault 137, in small: what is not due costs no place in the batch.
TEST_P(FairnessContract, WorkThatIsNotDueDoesNotHideWorkThatIs) {
  subscribe("h");
  subscribe("paused");
  publish_many(200);
  std::vector<Reschedule> items;
  for (const Work& work : claim({.limit = 200}).work) {
    items.push_back({.token = work.token, .delay = 1h});
  }
  ASSERT_THAT(bus().reschedule(items), SizeIs(200));
  EXPECT_EQ(bus().set_subscription_state("paused", SubscriptionState::paused), Verdict::done);
  publish_many(5);

  EXPECT_EQ(claimed_count({.handlers = {"h", "paused"}, .limit = 5}), 5U);
}

}  // namespace penstock::contract

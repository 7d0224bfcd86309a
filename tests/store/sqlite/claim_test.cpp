// Corners of a claim that only this store has.
#include "store/sqlite/sqlite_file.hpp"

namespace penstock::test {
namespace {

using namespace std::chrono_literals;
using SqliteClaim = SqliteFile;

Claimed claim_alone(BusStore& bus, const std::string& worker) {
  const WorkerId id{worker};
  const HandlerRoom room{"h", 10};
  return bus.claim(
      {.worker = id, .handlers = {&room, 1}, .limit = 10, .suspects = SuspectPolicy::take_alone});
}

// The rule that lets older work of others pass does not hold up a suspect, which runs alone anyway.
TEST_F(SqliteClaim, TakesASuspectFromALaneWhereOlderWorkOfOthersWaits) {
  const auto store = set_up();
  subscribe(store->bus(), "others", "other");
  subscribe(store->bus(), "h", "mine");
  publish(store->bus(), {.type = "other", .key = "k"});
  publish(store->bus(), {.type = "mine", .key = "k"});
  ASSERT_EQ(claim(store->bus(), "worker-a").work.size(), 1U);
  clock().advance(31s);

  const Claimed claimed = claim_alone(store->bus(), "worker-b");

  ASSERT_EQ(claimed.work.size(), 1U);
  EXPECT_TRUE(claimed.work[0].suspect);
}

// Requeued in front of a delivery that runs, the first of a key waits for it.
TEST_F(SqliteClaim, ARequeuedFirstOfItsKeyWaitsForTheOneThatRuns) {
  const auto store = set_up();
  subscribe(store->bus(), "h");
  for (int i = 0; i < 3; ++i) publish(store->bus(), {.type = "t", .key = "k"});
  const Bury first{.token = claim(store->bus()).work.at(0).token, .reason = "no"};
  ASSERT_THAT(store->bus().bury({&first, 1}), ::testing::ElementsAre(Verdict::done));
  const Claimed second = claim(store->bus());
  ASSERT_EQ(second.work.size(), 1U);
  ASSERT_EQ(store->bus().requeue({.all = true}), 1);

  EXPECT_TRUE(claim(store->bus()).work.empty());
  ASSERT_THAT(store->bus().complete(tokens_of(second), nullptr),
              ::testing::ElementsAre(Verdict::done));

  EXPECT_EQ(claim(store->bus()).work.at(0).sequence, 1);
}

// Known fault 1 and the fence: the id of a completed delivery never comes back.
TEST_F(SqliteClaim, TheIdOfACompletedDeliveryIsNotUsedAgain) {
  const auto store = set_up();
  subscribe(store->bus(), "h");
  publish(store->bus(), {.type = "t", .key = "k"});
  const std::vector<Token> old = tokens_of(claim(store->bus()));
  ASSERT_THAT(store->bus().complete(old, nullptr), ::testing::ElementsAre(Verdict::done));
  publish(store->bus(), {.type = "t", .key = "k"});

  const Claimed next = claim(store->bus());

  EXPECT_NE(next.work.at(0).token.work_id, old.at(0).work_id);
  EXPECT_THAT(store->bus().complete(old, nullptr), ::testing::ElementsAre(Verdict::lost));
}

}  // namespace
}  // namespace penstock::test

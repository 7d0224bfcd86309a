// Completion history: completed deliveries are kept and listed only where the store was asked to.
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(HistoryContract, IsEmptyUnlessItWasAskedFor) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(complete(claim_one().token), Verdict::done);

  EXPECT_THAT(list({.status = DeliveryStatus::completed}), IsEmpty());
  EXPECT_EQ(statistics_of("h").completed, 0);
}

TEST_P(HistoryContract, ListsWhatWasCompletedAndWhen) {
  start({.completion_history = true});
  subscribe("h");
  const EventId id = publish(keyed("k")).id;
  EXPECT_EQ(retry(claim_one().token, 0s), Verdict::done);
  clock().advance(1min);
  const Work work = claim_one();
  EXPECT_EQ(complete(work.token), Verdict::done);

  const std::vector<DeliveryInfo> items = list({.status = DeliveryStatus::completed});

  ASSERT_THAT(items, SizeIs(1));
  EXPECT_EQ(items[0].id.value, work.token.work_id);
  EXPECT_EQ(items[0].event_id, id);
  EXPECT_EQ(items[0].handler, "h");
  EXPECT_EQ(items[0].type, "order.paid");
  EXPECT_EQ(items[0].key, "k");
  EXPECT_EQ(items[0].status, DeliveryStatus::completed);
  EXPECT_EQ(items[0].attempts, 1);
  EXPECT_EQ(items[0].updated_at, clock().now());
  EXPECT_EQ(statistics_of("h").completed, 1);
}

TEST_P(HistoryContract, StandsAmongTheOthersInTheOrderOfIds) {
  start({.completion_history = true});
  subscribe("h");
  publish_many(9);
  for (const Work& work : claim({.limit = 4}).work) {
    EXPECT_EQ(complete(work.token), Verdict::done);
  }

  const std::vector<DeliveryInfo> items = list({.limit = 2});

  ASSERT_THAT(items, SizeIs(9));
  EXPECT_TRUE(std::ranges::is_sorted(items, std::ranges::less{}, &DeliveryInfo::id));
  EXPECT_THAT(list({.status = DeliveryStatus::completed, .limit = 3}), SizeIs(4));
}

TEST_P(HistoryContract, IsNotTouchedByOperatorsNorClaimed) {
  start({.completion_history = true});
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(complete(claim_one().token), Verdict::done);

  EXPECT_EQ(requeue_all(), 0);
  EXPECT_EQ(bus().bury_selected({.all = true}, "x"), 0);
  EXPECT_EQ(claimed_count(), 0U);
}

TEST_P(HistoryContract, GoesWithTheTransactionOfTheCompletion) {
  start({.completion_history = true});
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one().token;
  {
    EXPECT_EQ(complete(token, *bus().begin()), Verdict::done);
  }
  EXPECT_EQ(statistics_of("h").completed, 0);

  const auto transaction = bus().begin();
  EXPECT_EQ(complete(token, *transaction), Verdict::done);
  transaction->commit();

  EXPECT_EQ(statistics_of("h").completed, 1);
}

TEST_P(HistoryContract, IsPurgedAfterItsRetention) {
  start({.completion_history = true});
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(complete(claim_one().token), Verdict::done);
  clock().advance(std::chrono::days{7} - 1s);
  EXPECT_EQ(purge_all().history, 0);

  clock().advance(2s);

  EXPECT_EQ(purge_all().history, 1);
  EXPECT_THAT(list({.status = DeliveryStatus::completed}), IsEmpty());
}

}  // namespace penstock::contract

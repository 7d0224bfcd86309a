// setup and capabilities: one call serves bus and queue.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(QueueSetupContract, IsRepeatableAndKeepsJobs) {
  const JobId id = enqueue(job());

  queue().setup(SetupMode::migrate);
  bus().setup(SetupMode::migrate);

  EXPECT_EQ(state_of(id), JobState::ready);
}

TEST_P(QueueSetupContract, FindsItselfCurrentForBoth) {
  EXPECT_FALSE(refusal_of([&] { queue().setup(SetupMode::check); }));
  EXPECT_FALSE(refusal_of([&] { bus().setup(SetupMode::check); }));
}

TEST_P(QueueSetupContract, HasTheCapabilitiesOfTheBus) {
  const Capabilities capabilities = queue().capabilities();

  EXPECT_EQ(capabilities.store, bus().capabilities().store);
  EXPECT_EQ(capabilities.max_payload, bus().capabilities().max_payload);
  EXPECT_EQ(capabilities.durable, bus().capabilities().durable);
}

TEST_P(QueueSetupContract, SaysWhetherHistoryIsKept) {
  EXPECT_FALSE(queue().capabilities().completion_history);

  start({.completion_history = true});

  EXPECT_TRUE(queue().capabilities().completion_history);
}

TEST_P(QueueSetupContract, AFreshStoreIsEmpty) {
  const QueueStatistics statistics = queue().statistics(Counting::exact);

  EXPECT_THAT(statistics.queues, IsEmpty());
  EXPECT_THAT(statistics.lanes, IsEmpty());
  EXPECT_THAT(statistics.aside, IsEmpty());
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_THAT(list(JobState::ready), IsEmpty());
}

TEST_P(QueueSetupContract, StoresSideBySideShareNothing) {
  enqueue(job());
  start({});

  EXPECT_THAT(take(), SizeIs(0));
}

}  // namespace penstock::contract

// setup and capabilities: safe to repeat, and honest.
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::SizeIs;

TEST_P(SetupContract, MayRunAgainAndKeepsWhatIsThere) {
  subscribe("h");
  publish_type("order.paid");

  bus().setup(SetupMode::migrate);
  bus().setup(SetupMode::force);

  EXPECT_EQ(claimed_count(), 1U);
  EXPECT_THAT(bus().subscriptions(), SizeIs(1));
}

TEST_P(SetupContract, ChecksATableThatIsCurrent) {
  EXPECT_FALSE(refusal_of([&] { bus().setup(SetupMode::check); }));
}

TEST_P(SetupContract, TellsWhatTheStoreCanDo) {
  start({.completion_history = true, .max_payload = 1'000});

  const Capabilities capabilities = bus().capabilities();

  EXPECT_EQ(capabilities.store, GetParam().name);
  EXPECT_EQ(capabilities.max_payload, 1'000U);
  EXPECT_TRUE(capabilities.completion_history);
}

TEST_P(SetupContract, BeginsEmpty) {
  const Statistics statistics = bus().statistics();

  EXPECT_EQ(statistics.events, 0);
  EXPECT_TRUE(statistics.handlers.empty());
  EXPECT_EQ(statistics.takeovers, 0);
  EXPECT_TRUE(list().empty());
  EXPECT_TRUE(bus().subscriptions().empty());
}

}  // namespace penstock::contract

// release and relinquish: giving work and leases back without spending an attempt.
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(ReleaseContract, MakesTheWorkDueAtOnceAndChargesNothing) {
  subscribe("h");
  const EventId id = publish_type("order.paid");

  EXPECT_EQ(release(claim_one().token), Verdict::done);

  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
  EXPECT_EQ(show(id).attempts, 0);
  EXPECT_EQ(show(id).last_error, "");
  EXPECT_EQ(claim_one().attempts, 0);
}

TEST_P(ReleaseContract, KeepsTheAttemptsThatWereCharged) {
  subscribe("h");
  publish_type("order.paid");
  EXPECT_EQ(retry(claim_one().token, 0s), Verdict::done);

  EXPECT_EQ(release(claim_one().token), Verdict::done);

  EXPECT_EQ(claim_one().attempts, 1);
}

TEST_P(ReleaseContract, IsLostTheSecondTime) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one().token;
  EXPECT_EQ(release(token), Verdict::done);

  EXPECT_EQ(release(token), Verdict::lost);
  EXPECT_EQ(complete(token), Verdict::lost);
}

TEST_P(ReleaseContract, AnswersForEachTokenInOrder) {
  subscribe("h");
  publish_many(3);
  const std::vector<Token> tokens = tokens_of(claim().work);
  EXPECT_EQ(complete(tokens.at(1)), Verdict::done);

  EXPECT_THAT(bus().release(tokens), ElementsAre(Verdict::done, Verdict::lost, Verdict::done));
  EXPECT_THAT(bus().release({}), IsEmpty());
}

TEST_P(ReleaseContract, IsLostAfterATakeover) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one().token;
  clock().advance(31s);
  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);

  EXPECT_EQ(release(token), Verdict::lost);

  EXPECT_EQ(show(id).attempts, 1);
}

// Known fault 93.
TEST_P(ReleaseContract, GivesAWholeShutdownBack) {
  subscribe("h");
  fixture().set_next_delivery_id(3'000'000'000);
  publish_many(100);
  const std::vector<Work> work = claim({.worker = "worker-a", .limit = 100}).work;
  ASSERT_THAT(work, SizeIs(100));

  EXPECT_THAT(bus().release(tokens_of(work)), ::testing::Each(Verdict::done));
  relinquish("worker-a");

  EXPECT_EQ(claimed_count({.worker = "worker-b", .limit = 100}), 100U);
}

TEST_P(RelinquishContract, HandsBackLeasesThatRunNothing) {
  subscribe("h");
  const std::vector<std::string> keys = keys_in_lane(3, 2);
  publish(keyed(keys[0]));
  EXPECT_EQ(complete(claim_one({.worker = "worker-a"}).token), Verdict::done);
  publish(keyed(keys[1]));

  relinquish("worker-a");

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 1U);
}

TEST_P(RelinquishContract, KeepsLeasesThatRunSomething) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one({.worker = "worker-a"}).token;

  relinquish("worker-a");

  EXPECT_EQ(extend(token), Verdict::done);
  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);
  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(RelinquishContract, LeavesTheLeasesOfOthers) {
  subscribe("h");
  const std::vector<std::string> keys = keys_in_lane(3, 2);
  publish(keyed(keys[0]));
  const Token token = claim_one({.worker = "worker-a"}).token;
  publish(keyed(keys[1]));

  relinquish("worker-b");

  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);
  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(RelinquishContract, OfAnUnknownWorkerDoesNothing) {
  relinquish("nobody");

  EXPECT_THAT(list(), IsEmpty());
}

}  // namespace penstock::contract

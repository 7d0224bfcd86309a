// release, relinquish and inherit: giving work and leases back without spending an attempt.
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

// The answer of the second claim is lost on its way; the first delivery runs on.
TEST_P(InheritContract, GivesBackWhatTheFormerWorkerDoesNotRun) {
  subscribe("h");
  const std::vector<std::string> keys = keys_in_lane(3, 2);
  publish(keyed(keys[0]));
  const Work running = claim_one({.worker = "former"});
  const EventId lost_id = publish(keyed(keys[1])).id;
  const EventId behind_id = publish(keyed(keys[1])).id;
  const Work lost = claim_one({.worker = "former"});
  ASSERT_EQ(lost.event->id, lost_id);

  inherit("former", "successor", {running.token});

  EXPECT_EQ(complete(lost.token), Verdict::lost);
  EXPECT_EQ(extend(running.token), Verdict::done);
  const std::vector<Work> work = claim({.worker = "successor", .run_limit = 2}).work;
  ASSERT_THAT(ids_of(work), ElementsAre(lost_id, behind_id));
  EXPECT_EQ(work[0].attempts, 0);
  EXPECT_FALSE(work[0].suspect);
  EXPECT_EQ(complete(work[0].token), Verdict::done);
  EXPECT_EQ(complete(running.token), Verdict::done);
}

TEST_P(InheritContract, TakesTheLeasesFromTheFormerWorker) {
  subscribe("h");
  const std::vector<std::string> keys = keys_in_lane(3, 2);
  publish(keyed(keys[0]));
  const Token running = claim_one({.worker = "former"}).token;
  publish(keyed(keys[1]));

  inherit("former", "successor", {running});
  inherit("former", "successor", {running});

  EXPECT_EQ(claimed_count({.worker = "former"}), 0U);
  EXPECT_EQ(claimed_count({.worker = "successor"}), 1U);
  EXPECT_EQ(complete(running), Verdict::done);
}

TEST_P(InheritContract, ChargesNothingForWhatItGivesBack) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  EXPECT_EQ(retry(claim_one({.worker = "former"}).token, 0s), Verdict::done);
  EXPECT_EQ(claimed_count({.worker = "former"}), 1U);

  inherit("former", "successor", {});

  EXPECT_EQ(show(id).status, DeliveryStatus::pending);
  EXPECT_EQ(show(id).attempts, 1);
  clock().advance(31s);
  EXPECT_EQ(claim_one({.worker = "worker-b"}).attempts, 1);
  EXPECT_EQ(bus().statistics().takeovers, 0);
}

// A token of an attempt that has ended says nothing about a later claim of the same delivery.
TEST_P(InheritContract, IsNotMisledByATokenThatHasEnded) {
  subscribe("h");
  publish_type("order.paid");
  const Token ended = claim_one({.worker = "former"}).token;
  EXPECT_EQ(release(ended), Verdict::done);
  EXPECT_EQ(claimed_count({.worker = "former"}), 1U);

  inherit("former", "successor", {ended});

  EXPECT_EQ(claimed_count({.worker = "successor"}), 1U);
}

TEST_P(InheritContract, LeavesTheLeasesOfOthers) {
  subscribe("h");
  const std::vector<std::string> keys = keys_in_lane(3, 2);
  publish(keyed(keys[0]));
  const Token token = claim_one({.worker = "worker-b"}).token;
  publish(keyed(keys[1]));

  inherit("former", "successor", {token});

  EXPECT_EQ(claimed_count({.worker = "successor"}), 0U);
  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 1U);
  EXPECT_EQ(complete(token), Verdict::done);
}

}  // namespace penstock::contract

// extend: a lease runs on while its worker lives.
#include "contract/contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(ExtendContract, LetsTheLeaseRunFromNow) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token token = claim_one({.lease = 30s}).token;
  clock().advance(10s);

  EXPECT_EQ(extend(token, 30s), Verdict::done);

  EXPECT_EQ(show(id).lease_expires_at, clock().now() + 30s);
}

TEST_P(ExtendContract, AnswersForEachTokenInOrder) {
  subscribe("h");
  publish_many(3);
  const std::vector<Token> tokens = tokens_of(claim().work);
  EXPECT_EQ(complete(tokens.at(1)), Verdict::done);

  EXPECT_THAT(bus().extend(tokens, 30s), ElementsAre(Verdict::done, Verdict::lost, Verdict::done));
  EXPECT_THAT(bus().extend({}, 30s), IsEmpty());
}

TEST_P(ExtendContract, IsLostAfterATakeover) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one().token;
  clock().advance(31s);
  EXPECT_EQ(claimed_count({.worker = "worker-b"}), 0U);

  EXPECT_EQ(extend(token), Verdict::lost);
}

TEST_P(ExtendContract, ThatIsLostDoesNotLengthenTheNewOwnersLease) {
  subscribe("h");
  const EventId id = publish_type("order.paid");
  const Token old = claim_one({.worker = "worker-a"}).token;
  clock().advance(31s);
  const ClaimWish wish{.worker = "worker-b", .lease = 10s, .suspects = SuspectPolicy::take_alone};
  const Work work = claim_one(wish);

  EXPECT_EQ(extend(old, 1h), Verdict::lost);

  EXPECT_EQ(show(id).lease_expires_at, clock().now() + 10s);
}

TEST_P(ExtendContract, RevivesALeaseThatRanOutWhileNobodyTookOver) {
  subscribe("h");
  publish_type("order.paid");
  const Token token = claim_one({.worker = "worker-a"}).token;
  clock().advance(31s);

  EXPECT_EQ(extend(token, 30s), Verdict::done);

  EXPECT_EQ(claimed_count({.worker = "worker-b", .suspects = SuspectPolicy::take_alone}), 0U);
  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(ExtendContract, IsLostUnderATokenThatDiffersInItsEpoch) {
  subscribe("h");
  publish_type("order.paid");
  Token token = claim_one().token;
  token.fence[1] -= 1;

  EXPECT_EQ(extend(token), Verdict::lost);
}

}  // namespace penstock::contract

// claim: which jobs, how many, and of which lanes.
#include <set>

#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(QueueClaimContract, TakesNothingTwice) {
  enqueue_batch(10);
  EXPECT_THAT(take({.worker = "worker-a"}), SizeIs(10));

  EXPECT_THAT(take({.worker = "worker-a"}), IsEmpty());
  EXPECT_THAT(take({.worker = "worker-b"}), IsEmpty());
}

TEST_P(QueueClaimContract, TakesNoMoreThanItsLimit) {
  const std::vector<JobId> ids = enqueue_batch(5);

  EXPECT_THAT(jobs_of(take({.limit = 2})), ElementsAre(ids[0], ids[1]));
  EXPECT_THAT(jobs_of(take({.limit = 2})), ElementsAre(ids[2], ids[3]));
  EXPECT_THAT(jobs_of(take({.limit = 2})), ElementsAre(ids[4]));
}

TEST_P(QueueClaimContract, LeavesOtherQueues) {
  enqueue({.queue = "other", .kind = "k"});
  const JobId mine = enqueue(job());

  EXPECT_EQ(take_one().job->id, mine);
  EXPECT_EQ(lane(0, 2, "other").waiting, 1);
}

TEST_P(QueueClaimContract, TakesFromAllQueuesThatItNames) {
  enqueue({.queue = "a", .kind = "k"});
  enqueue({.queue = "b", .kind = "k"});
  enqueue({.queue = "c", .kind = "k"});

  EXPECT_THAT(take_all({.queues = {"a", "b", "nobody-knows-this"}}), SizeIs(2));
  EXPECT_EQ(lane(0, 2, "c").waiting, 1);
}

TEST_P(QueueClaimContract, TakesNoMoreThanAQueueHasRoomFor) {
  enqueue_batch(5);

  EXPECT_THAT(take({.room = 2}), SizeIs(2));
  EXPECT_THAT(take({.room = 0}), IsEmpty());
}

TEST_P(QueueClaimContract, AFullQueueDoesNotHoldUpAnother) {
  enqueue_batch(5, {.queue = "full", .kind = "k", .priority = 1});
  const JobId id = enqueue({.queue = "free", .kind = "k", .priority = 4});
  const HandlerRoom rooms[] = {{"full", 0}, {"free", 10}};
  const WorkerId worker{"worker-a"};

  const Claimed claimed = source("worker-a").claim({.worker = worker, .handlers = rooms});

  EXPECT_THAT(jobs_of(claimed.work), ElementsAre(id));
}

TEST_P(QueueClaimContract, TakesEveryKind) {
  const JobId a = enqueue({.queue = "q", .kind = "a"});
  const JobId b = enqueue({.queue = "q", .kind = "b"});

  EXPECT_THAT(jobs_of(take()), ElementsAre(a, b));
}

TEST_P(QueueClaimContract, AttemptsOfOneKeyMayOverlap) {
  const std::vector<JobId> ids = enqueue_batch(3, keyed_job("k"));

  EXPECT_THAT(jobs_of(take({.worker = "worker-a", .limit = 1})), ElementsAre(ids[0]));
  EXPECT_THAT(jobs_of(take({.worker = "worker-b", .limit = 2})), ElementsAre(ids[1], ids[2]));
}

TEST_P(QueueClaimContract, IsBoundByBytes) {
  (void)source("worker-a", {.batch_bytes = 100'000});
  std::vector<JobId> big;
  for (int i = 0; i < 3; ++i) big.push_back(enqueue(job(std::string(40'000, 'x'))));

  EXPECT_THAT(jobs_of(take()), ElementsAre(big[0], big[1]));
  EXPECT_THAT(jobs_of(take()), ElementsAre(big[2]));
}

TEST_P(QueueClaimContract, TakesASingleJobThatExceedsTheBytes) {
  (void)source("worker-a", {.batch_bytes = 1'000});
  const JobId small = enqueue(job("s"));
  const JobId big = enqueue(job(std::string(50'000, 'x')));
  const JobId last = enqueue(job("l"));

  EXPECT_THAT(jobs_of(take()), ElementsAre(small));
  EXPECT_THAT(jobs_of(take()), ElementsAre(big));
  EXPECT_THAT(jobs_of(take()), ElementsAre(last));
}

TEST_P(QueueClaimContract, APausedQueueGivesNothing) {
  const std::vector<JobId> ids = enqueue_batch(3);
  queue().set_paused("q", true);
  EXPECT_THAT(take(), IsEmpty());

  queue().set_paused("q", false);

  EXPECT_THAT(jobs_of(take()), ElementsAreArray(ids));
}

TEST_P(QueueClaimContract, APausedQueueTakesJobs) {
  queue().set_paused("q", true);

  const JobId id = enqueue(job());

  EXPECT_EQ(state_of(id), JobState::ready);
  EXPECT_THAT(take(), IsEmpty());
}

TEST_P(QueueClaimContract, WhatRunsInAPausedQueueGoesOn) {
  enqueue_batch(2);
  const std::vector<Work> work = take();
  queue().set_paused("q", true);

  EXPECT_EQ(extend(work[0].token), Verdict::done);
  EXPECT_EQ(complete(work[0].token), Verdict::done);
  EXPECT_EQ(retry(work[1].token), Verdict::done);
}

TEST_P(QueueClaimContract, APauseConcernsOneQueue) {
  enqueue(job());
  const JobId other = enqueue({.queue = "other", .kind = "k"});
  queue().set_paused("q", true);

  EXPECT_THAT(jobs_of(take_all({.queues = {"q", "other"}})), ElementsAre(other));
}

TEST_P(QueueClaimContract, APausedQueueKeepsWhatBecomesDue) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .run_at = now() + 1s});
  queue().set_paused("q", true);
  advance(2s);
  maintain();
  EXPECT_THAT(take(), IsEmpty());

  queue().set_paused("q", false);
  maintain();

  EXPECT_EQ(take_one().job->id, id);
}

TEST_P(QueueClaimContract, SettingsCanBeChangedTwice) {
  for (int i = 0; i < 2; ++i) {
    queue().set_paused("q", true);
    queue().set_shards("q", 4);
  }

  const std::vector<QueueSettings> queues = queue().statistics(Counting::exact).queues;

  ASSERT_THAT(queues, SizeIs(1));
  EXPECT_TRUE(queues[0].paused) << "a width leaves a pause alone";
  EXPECT_EQ(queues[0].shards, 4);
}

TEST_P(QueueClaimContract, SharesALaneAmongWorkers) {
  const std::vector<JobId> ids = enqueue_batch(6);

  EXPECT_THAT(jobs_of(take({.worker = "worker-a", .limit = 2})), ElementsAre(ids[0], ids[1]));
  EXPECT_THAT(jobs_of(take({.worker = "worker-b", .limit = 2})), ElementsAre(ids[2], ids[3]));
  EXPECT_THAT(jobs_of(take({.worker = "worker-a", .limit = 2})), ElementsAre(ids[4], ids[5]));
}

TEST_P(QueueClaimContract, TokensAreUnlikeEachOther) {
  enqueue_batch(50);
  std::set<Token> tokens;
  for (const Work& work : take_all({.limit = 7})) tokens.insert(work.token);

  EXPECT_THAT(tokens, SizeIs(50));
}

TEST_P(QueueClaimContract, AnEmptyQueueGivesNothingAndWritesNothing) {
  EXPECT_THAT(take({.queues = {"never-seen"}}), IsEmpty());
  EXPECT_THAT(take({.queues = {}}), IsEmpty());

  EXPECT_THAT(queue().statistics(Counting::exact).queues, IsEmpty());
}

}  // namespace penstock::contract

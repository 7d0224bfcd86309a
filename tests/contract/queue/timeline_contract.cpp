// The worked timelines of the queue's design: T1 to T15, and the tests N1 to N20, as far as they
// can be told through the contract. What needs a transaction half done, a lost answer or a crash of
// the server stands with the store that has them; N11, N12, N14 and N16 to N18 stand there too.
#include <algorithm>
#include <atomic>
#include <set>

#include "contract/queue/queue_contract.hpp"
#include "work/lane_hash.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(QueueTimelineContract, T01_AnOpenProducerIsNotPassed) {
  const auto transaction = bus().begin();
  std::vector<JobId> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(enqueue_in(*transaction, job()).id);
  EXPECT_EQ(lane().waiting, 0);
  transaction->commit();
  ids.push_back(enqueue(job()));

  EXPECT_THAT(drain({.limit = 2}), ElementsAreArray(ids));
}

// The second producer waits for the first, or runs before it; it is never seen in between.
TEST_P(QueueTimelineContract, T02_ProducersOfOneLaneAreClaimedInCommitOrder) {
  std::vector<JobId> first;
  JobId second;
  std::atomic<bool> committed = false;
  bool second_was_after = false;

  at_once(2, [&](int thread) {
    if (thread == 0) {
      const auto transaction = bus().begin();
      for (int i = 0; i < 3; ++i) first.push_back(enqueue_in(*transaction, job()).id);
      transaction->commit();
      committed = true;
    } else {
      second_was_after = committed;
      second = enqueue(job());
    }
  });

  const std::vector<JobId> order = drain();
  ASSERT_THAT(order, SizeIs(4));
  EXPECT_TRUE(order.front() == second || order.back() == second) << "never amid a transaction";
  EXPECT_TRUE(!second_was_after || order.back() == second);
}

TEST_P(QueueTimelineContract, T03_ARolledBackProducerLeavesAHoleThatIsPassed) {
  {
    const auto transaction = bus().begin();
    for (int i = 0; i < 3; ++i) enqueue_in(*transaction, job());
  }
  const std::vector<JobId> ids = enqueue_batch(2);

  EXPECT_THAT(jobs_of(take({.limit = 10})), ElementsAreArray(ids));
}

TEST_P(QueueTimelineContract, T04_AfterAHoleTheNextClaimGoesOn) {
  {
    const auto transaction = bus().begin();
    for (int i = 0; i < 3; ++i) enqueue_in(*transaction, job());
  }
  const std::vector<JobId> ids = enqueue_batch(2);
  EXPECT_THAT(jobs_of(take({.limit = 10})), ElementsAreArray(ids));
  const JobId next = enqueue(job());

  EXPECT_THAT(jobs_of(take({.limit = 10})), ElementsAre(next));
}

// N1 as well.
TEST_P(QueueTimelineContract, T05_AHoleAndASpentHeadDoNotWedgeALane) {
  {
    const auto transaction = bus().begin();
    enqueue_in(*transaction, job());
  }
  const JobId cancelled = enqueue(job());
  EXPECT_EQ(cancel(cancelled), Verdict::done);
  const JobId third = enqueue(job());

  EXPECT_THAT(jobs_of(take({.limit = 10})), ElementsAre(third));
}

TEST_P(QueueTimelineContract, T06_ACancelledMiddleKeepsItsNeighbours) {
  const std::vector<JobId> ids = enqueue_batch(3);
  EXPECT_EQ(cancel(ids[1]), Verdict::done);

  EXPECT_THAT(jobs_of(take({.limit = 1})), ElementsAre(ids[0]));
  EXPECT_THAT(jobs_of(take({.limit = 10})), ElementsAre(ids[2]));
}

TEST_P(QueueTimelineContract, T07_TwoClaimersAtOnceShareNothing) {
  const std::vector<JobId> ids = enqueue_batch(3);
  std::array<std::vector<JobId>, 2> taken;

  at_once(2, [&](int thread) {
    taken[static_cast<std::size_t>(thread)] =
        jobs_of(take({.worker = "worker-" + std::to_string(thread), .limit = 2}));
  });

  std::set<JobId> all;
  for (const auto& jobs : taken) {
    EXPECT_TRUE(std::ranges::is_sorted(jobs));
    for (const JobId id : jobs) EXPECT_TRUE(all.insert(id).second) << "twice";
  }
  for (const Work& work : take_all({.worker = "worker-c"})) all.insert(work.job->id);
  EXPECT_EQ(all, std::set<JobId>(ids.begin(), ids.end()));
}

TEST_P(QueueTimelineContract, T08_AClaimLooksAgainAfterAnother) {
  const std::vector<JobId> ids = enqueue_batch(3);
  EXPECT_THAT(jobs_of(take({.worker = "worker-b", .limit = 2})), ElementsAre(ids[0], ids[1]));

  EXPECT_THAT(jobs_of(take({.worker = "worker-a", .limit = 2})), ElementsAre(ids[2]));
}

TEST_P(QueueTimelineContract, T10_ACancelAfterTheClaimTakesTheRunningPath) {
  const JobId id = enqueue(job());
  const Token token = take_one().token;

  EXPECT_EQ(cancel(id), Verdict::done);

  EXPECT_EQ(complete(token), Verdict::lost);
  EXPECT_EQ(lane().waiting, 0);
  EXPECT_EQ(lane().running, 0);
}

// N4 as well.
TEST_P(QueueTimelineContract, T11_OrderHoldsAcrossSegments) {
  std::vector<JobId> ids;
  for (int segment = 0; segment < 5; ++segment) {
    for (const JobId id : enqueue_batch(3)) ids.push_back(id);
    pass(15s, {"worker-a"});
  }

  EXPECT_THAT(drain({.limit = 4}), ElementsAreArray(ids));
}

TEST_P(QueueTimelineContract, T12_ACompletionAfterTheRescueCountsForNothing) {
  const JobId id = enqueue(job());
  const Work work = crash().at(0);

  EXPECT_EQ(complete(work.token), Verdict::lost);

  EXPECT_EQ(state_of(id), JobState::ready);
  EXPECT_EQ(lane().completed, 0);
}

TEST_P(QueueTimelineContract, T13_ACompletionLongAfterIsLost) {
  enqueue(job());
  const Token token = take_one().token;
  EXPECT_EQ(complete(token), Verdict::done);
  for (int turn = 0; turn < 10; ++turn) {
    enqueue_batch(3);
    drain();
    pass(15s, {"worker-a"});
  }
  enqueue_batch(3);
  const std::vector<Work> work = take();

  EXPECT_EQ(complete(token), Verdict::lost);
  EXPECT_EQ(lane().running, 3) << "another job of the same place is not ended by it";
  for (const Work& one : work) EXPECT_EQ(complete(one.token), Verdict::done);
}

TEST_P(QueueTimelineContract, T14_ALoweredWidthDrainsWhatLiesBeyond) {
  queue().set_shards("q", 8);
  const std::vector<JobId> ids = enqueue_batch(1'000, keyed_job(key_of_shard(5, 8)));
  queue().set_shards("q", 2);
  const std::vector<JobId> more = enqueue_batch(10, keyed_job(key_of_shard(1, 2)));

  const std::vector<JobId> handled = drain({.limit = 100});

  EXPECT_THAT(handled, SizeIs(1'010));
  EXPECT_EQ(lane(5).waiting, 0);
}

TEST_P(QueueTimelineContract, N05_ARetryAndARequeueKeepTheShardOfTheKey) {
  queue().set_shards("q", 8);
  const std::string key = "customer-42";
  const JobId id = enqueue(keyed_job(key));
  EXPECT_EQ(retry(take_one().token, 1s), Verdict::done);
  advance(1s);
  maintain();
  EXPECT_EQ(info(id).shard, work::shard_of(key, 8));
  EXPECT_EQ(bury(take_one().token), Verdict::done);
  EXPECT_THAT(requeue_all(), ElementsAre(id));
  maintain();

  EXPECT_EQ(info(id).shard, work::shard_of(key, 8));
}

TEST_P(QueueTimelineContract, N07_ARescueReturnsAndAPromotionDoesNotExceedTheWidth) {
  queue().set_shards("q", 8);
  const JobId rescued = enqueue(keyed_job(key_of_shard(7, 8)));
  (void)take_one();
  const JobId retried = enqueue(keyed_job(key_of_shard(6, 8)));
  EXPECT_EQ(retry(take_one({.worker = "worker-b"}).token, 1s), Verdict::done);
  queue().set_shards("q", 2);
  pass(kLease + 10s, {"worker-b"});

  EXPECT_EQ(info(rescued).shard, 7);
  EXPECT_LT(info(retried).shard.value(), 2);
}

TEST_P(QueueTimelineContract, N10_APausedQueueHoldsUpNobody) {
  queue().set_paused("q", true);
  enqueue_batch(5);
  for (int turn = 0; turn < 10; ++turn) {
    const std::vector<JobId> ids = enqueue_batch(3, {.queue = "other", .kind = "k"});
    EXPECT_THAT(drain({.queues = {"other", "q"}}), ElementsAreArray(ids));
    pass(15s, {"worker-a"});
  }

  EXPECT_EQ(lane().waiting, 5);
}

TEST_P(QueueTimelineContract, N15_ALongNameOfManyBytesIsAName) {
  std::string name;
  while (name.size() + 3 <= limits::kQueueBytes) name += "日";
  const auto wakeup = queue().listen();
  const JobId id = enqueue({.queue = name, .kind = "k"});

  EXPECT_EQ(wakeup->wait(20s), Wakeup::Reason::hint);
  EXPECT_EQ(drain({.queues = {name}}), std::vector{id});
}

// While urgent jobs keep coming, the least urgent has its turn once it is old enough.
TEST_P(QueueTimelineContract, N19_TheLeastUrgentIsServedUnderUrgentLoad) {
  (void)source("worker-a", {.ageing = 2s});
  const JobId calm = enqueue({.queue = "q", .kind = "k", .priority = 4});
  bool is_served = false;
  for (int i = 0; i < 20 && !is_served; ++i) {
    enqueue_batch(3, {.queue = "q", .kind = "k", .priority = 1});
    const Work work = take_one({.limit = 1});
    is_served = work.job->id == calm;
    EXPECT_EQ(complete(work.token), Verdict::done);
    advance(1s);
  }

  EXPECT_TRUE(is_served);
}

}  // namespace penstock::contract

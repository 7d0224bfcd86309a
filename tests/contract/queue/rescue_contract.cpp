// Rescue: what a process had in flight when it died, who pays for the crash, and who is dead.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

namespace {

const JobWish kAlone{.worker = "worker-b", .suspects = SuspectPolicy::take_alone};

}  // namespace

TEST_P(QueueRescueContract, ChargesAnAttemptAndMarksASuspect) {
  const JobId id = enqueue(job());
  (void)take();

  const Maintained did = pass(kLease + 10s);

  EXPECT_EQ(did.rescued, 1);
  EXPECT_EQ(did.buried, 0);
  EXPECT_EQ(state_of(id), JobState::ready);
  EXPECT_EQ(info(id).attempts, 1);
  EXPECT_TRUE(info(id).suspect);
  EXPECT_NE(info(id).last_error, "");
}

TEST_P(QueueRescueContract, TheTokensOfTheDeadAreLost) {
  enqueue_batch(3);
  const std::vector<Work> work = crash();

  EXPECT_THAT(source("worker-a").complete(tokens_of(work), nullptr), Each(Verdict::lost));
  EXPECT_EQ(retry(work[0].token), Verdict::lost);
  EXPECT_EQ(bury(work[1].token), Verdict::lost);
  EXPECT_EQ(release(work[2].token), Verdict::lost);
  EXPECT_THAT(list(JobState::ready), SizeIs(3));
}

TEST_P(QueueRescueContract, TakesOnlyWhatWasUnfinished) {
  const std::vector<JobId> ids = enqueue_batch(4);
  const std::vector<Work> work = take();
  EXPECT_EQ(complete(work[0].token), Verdict::done);
  EXPECT_EQ(retry(work[2].token, 1h), Verdict::done);

  EXPECT_EQ(pass(kLease + 10s).rescued, 2);

  EXPECT_FALSE(show(ids[0]));
  EXPECT_EQ(state_of(ids[1]), JobState::ready);
  EXPECT_EQ(state_of(ids[2]), JobState::retrying);
  EXPECT_FALSE(info(ids[2]).suspect);
  EXPECT_EQ(state_of(ids[3]), JobState::ready);
}

TEST_P(QueueRescueContract, HappensOnce) {
  const JobId id = enqueue(job());
  crash();

  EXPECT_EQ(pass(1min).rescued, 0);
  EXPECT_EQ(info(id).attempts, 1);
}

TEST_P(QueueRescueContract, LeavesTheLiving) {
  const std::vector<JobId> ids = enqueue_batch(4);
  const std::vector<Work> dead = take({.worker = "worker-a", .limit = 2});
  const std::vector<Work> living = take({.worker = "worker-b", .limit = 2});

  EXPECT_EQ(pass(kLease + 10s, {"worker-b"}).rescued, 2);

  EXPECT_THAT(source("worker-b").complete(tokens_of(living), nullptr), Each(Verdict::done));
  EXPECT_EQ(info(ids[0]).attempts, 1);
  EXPECT_FALSE(show(ids[2]));
}

TEST_P(QueueRescueContract, ReturnsToTheLaneItCameFrom) {
  queue().set_shards("q", 8);
  std::vector<JobId> ids;
  for (int shard = 0; shard < 8; ++shard) ids.push_back(enqueue(keyed_job(key_of_shard(shard, 8))));
  (void)take_all();
  queue().set_shards("q", 2);
  pass(kLease + 10s);

  for (int shard = 0; shard < 8; ++shard) {
    EXPECT_EQ(info(ids[static_cast<std::size_t>(shard)]).shard, shard);
  }
  EXPECT_THAT(drain(kAlone), UnorderedElementsAreArray(ids));
}

TEST_P(QueueRescueContract, KeepsTheOrderOfALane) {
  const std::vector<JobId> ids = enqueue_batch(5);
  crash();

  EXPECT_THAT(drain(kAlone), ElementsAreArray(ids));
}

TEST_P(QueueRescueContract, BuriesNothingByACrashInCompany) {
  enqueue_batch(3, {.queue = "q", .kind = "k", .max_attempts = 1});

  crash();

  EXPECT_THAT(list(JobState::dead), IsEmpty());
  EXPECT_EQ(lane().waiting, 3);
}

TEST_P(QueueRescueContract, BuriesASuspectThatHasSpentItsAttempts) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .max_attempts = 2});
  crash();
  EXPECT_EQ(take(kAlone).size(), 1U);

  const Maintained did = pass(kLease + 10s);

  EXPECT_EQ(did.rescued, 1);
  EXPECT_EQ(did.buried, 1);
  EXPECT_EQ(state_of(id), JobState::dead);
  EXPECT_EQ(info(id).attempts, 2);
  EXPECT_TRUE(info(id).suspect);
  EXPECT_NE(info(id).last_error, "");
}

TEST_P(QueueRescueContract, ASuspectWithAttemptsLeftIsTriedAgain) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .max_attempts = 3});
  crash();
  crash(kAlone);

  EXPECT_EQ(state_of(id), JobState::ready);
  EXPECT_EQ(info(id).attempts, 2);
  EXPECT_EQ(drain({.worker = "worker-c"}), std::vector{id});
}

// N8, known fault 47: what kills its worker ends in the dead letters, and its neighbours do not.
TEST_P(QueueRescueContract, APoisonJobDiesAndItsNeighboursDoNot) {
  const JobId poison = enqueue({.queue = "q", .kind = "poison", .max_attempts = 3});
  std::vector<JobId> neighbours = enqueue_batch(5, {.queue = "q", .kind = "k", .max_attempts = 3});
  std::vector<JobId> completed;

  for (int round = 0; round < 20; ++round) {
    const std::string worker = "worker-" + std::to_string(round);
    const std::vector<Work> work = take({.worker = worker, .suspects = SuspectPolicy::take_alone});
    if (work.empty()) break;
    bool crashes = false;
    for (const Work& one : work) crashes = crashes || one.job->id == poison;
    if (crashes) {
      pass(kLease + 10s);
      continue;
    }
    for (const Work& one : work) {
      EXPECT_EQ(complete(one.token), Verdict::done);
      completed.push_back(one.job->id);
    }
    source(worker).relinquish(WorkerId{worker});
  }

  EXPECT_EQ(state_of(poison), JobState::dead);
  EXPECT_THAT(completed, UnorderedElementsAreArray(neighbours));
}

TEST_P(QueueRescueContract, WritesTheErrorOfTheCrash) {
  const JobId id = enqueue(job());
  crash();

  const std::vector<AttemptError> errors = stored(id).errors;

  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].attempt, 1);
  EXPECT_NE(errors[0].error, "");
}

TEST_P(QueueRescueContract, WorksForQueuesThatArePaused) {
  const JobId id = enqueue(job());
  (void)take();
  queue().set_paused("q", true);

  EXPECT_EQ(pass(kLease + 10s).rescued, 1);

  EXPECT_NE(state_of(id), JobState::running);
  queue().set_paused("q", false);
  maintain();
  EXPECT_EQ(drain(kAlone), std::vector{id});
}

// Known fault 49: whoever maintains needs to know nothing of kinds or queues.
TEST_P(QueueRescueContract, NeedsNoWorkerOfThatQueue) {
  const JobId id = enqueue({.queue = "rare", .kind = "unheard-of"});
  (void)take({.queues = {"rare"}});

  EXPECT_EQ(pass(kLease + 10s, {"worker-b"}).rescued, 1);
  EXPECT_EQ(state_of(id), JobState::ready);
}

TEST_P(QueueSuspectContract, IsLeftWhileSomethingRuns) {
  enqueue(job());
  crash();

  const Claimed claimed = claim({.worker = "worker-b", .suspects = SuspectPolicy::leave});

  EXPECT_THAT(claimed.work, IsEmpty());
  EXPECT_TRUE(claimed.suspects_wait);
}

TEST_P(QueueSuspectContract, IsTakenAlone) {
  const std::vector<JobId> ids = enqueue_batch(3);
  crash();

  const Claimed claimed = claim(kAlone);

  EXPECT_THAT(jobs_of(claimed.work), ElementsAre(ids[0]));
  EXPECT_TRUE(claimed.work[0].suspect);
  EXPECT_EQ(claimed.work[0].attempts, 1);
}

TEST_P(QueueSuspectContract, ALaneIsClaimedUpToIt) {
  const JobId suspect = enqueue(job("suspect"));
  const std::vector<Work> work = take();
  EXPECT_THAT(jobs_of(work), ElementsAre(suspect));
  const JobId before = enqueue(job("before"));
  pass(kLease + 10s);
  const JobId behind = enqueue(job("behind"));

  const Claimed claimed = claim({.worker = "worker-b"});

  EXPECT_THAT(jobs_of(claimed.work), ElementsAre(before));
  EXPECT_TRUE(claimed.suspects_wait);
  EXPECT_EQ(complete(claimed.work[0].token), Verdict::done);
  EXPECT_THAT(jobs_of(take(kAlone)), ElementsAre(suspect));
  EXPECT_THAT(jobs_of(take({.worker = "worker-c"})), ElementsAre(behind));
}

TEST_P(QueueSuspectContract, DoesNotHoldUpOtherLanes) {
  enqueue({.queue = "q", .kind = "k", .priority = 1});
  crash();
  const JobId other = enqueue({.queue = "q", .kind = "k", .priority = 4});

  EXPECT_THAT(jobs_of(take({.worker = "worker-b"})), ElementsAre(other));
}

TEST_P(QueueSuspectContract, ComesBeforeOthersOfItsQueueWhenNothingRuns) {
  const JobId suspect = enqueue({.queue = "q", .kind = "k", .priority = 4});
  crash();
  enqueue({.queue = "q", .kind = "k", .priority = 1});

  EXPECT_THAT(jobs_of(take(kAlone)), ElementsAre(suspect));
}

TEST_P(QueueSuspectContract, IsCleared) {
  const JobId id = enqueue(job());
  crash();
  EXPECT_EQ(retry(take(kAlone).at(0).token, 0s), Verdict::done);
  maintain();

  EXPECT_FALSE(info(id).suspect);
  EXPECT_THAT(jobs_of(take({.worker = "worker-b"})), ElementsAre(id));
}

TEST_P(QueueSuspectContract, ASnoozeClearsItToo) {
  const JobId id = enqueue(job());
  crash();

  EXPECT_EQ(snooze(take(kAlone).at(0).token, 0s), Verdict::done);

  EXPECT_FALSE(info(id).suspect);
}

TEST_P(QueueSuspectContract, AReleaseKeepsIt) {
  const JobId id = enqueue(job());
  crash();
  EXPECT_EQ(release(take(kAlone).at(0).token), Verdict::done);
  maintain();

  EXPECT_TRUE(info(id).suspect);
  EXPECT_EQ(info(id).attempts, 1);
}

TEST_P(QueueSuspectContract, ARequeueKeepsIt) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .max_attempts = 1});
  crash();
  crash(kAlone);
  EXPECT_EQ(state_of(id), JobState::dead);

  EXPECT_THAT(requeue_all(), ElementsAre(id));
  maintain();

  EXPECT_TRUE(info(id).suspect);
  EXPECT_EQ(info(id).attempts, 0);
}

TEST_P(QueueSuspectContract, CanBeCancelled) {
  const JobId id = enqueue(job());
  crash();
  const JobId behind = enqueue(job());

  EXPECT_EQ(cancel(id), Verdict::done);

  EXPECT_THAT(jobs_of(take({.worker = "worker-b"})), ElementsAre(behind));
}

TEST_P(QueueSuspectContract, OfAPausedQueueHoldsUpNobody) {
  enqueue(job());
  crash();
  queue().set_paused("q", true);
  const JobId other = enqueue({.queue = "other", .kind = "k"});

  const JobWish wish{
      .worker = "worker-b", .queues = {"q", "other"}, .suspects = SuspectPolicy::take_alone};
  EXPECT_THAT(jobs_of(take_all(wish)), ElementsAre(other));
}

}  // namespace penstock::contract

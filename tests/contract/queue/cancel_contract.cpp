// cancel and bury by an operator: the end of jobs that have not ended, in whatever state.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(QueueCancelContract, AWaitingJobNeverRuns) {
  const std::vector<JobId> ids = enqueue_batch(3);

  EXPECT_EQ(cancel(ids[1]), Verdict::done);

  EXPECT_FALSE(show(ids[1]));
  EXPECT_EQ(lane().waiting, 2);
  EXPECT_THAT(jobs_of(take()), ElementsAre(ids[0], ids[2]));
}

TEST_P(QueueCancelContract, TheHeadOfALaneHoldsNobodyUp) {
  const std::vector<JobId> ids = enqueue_batch(3);

  EXPECT_EQ(cancel(ids[0]), Verdict::done);
  EXPECT_EQ(cancel(ids[1]), Verdict::done);

  EXPECT_THAT(jobs_of(take({.limit = 1})), ElementsAre(ids[2]));
}

TEST_P(QueueCancelContract, ManyHeadsAreOneStep) {
  const std::vector<JobId> ids = enqueue_batch(500);
  const std::vector<JobId> all_but_last(ids.begin(), ids.end() - 1);

  EXPECT_THAT(queue().cancel(all_but_last), Each(Verdict::done));

  EXPECT_THAT(drain({.limit = 2}), ElementsAre(ids.back()));
}

TEST_P(QueueCancelContract, AScheduledAndARetryingJobNeverRun) {
  const JobId scheduled = enqueue({.queue = "q", .kind = "k", .run_at = now() + 1s});
  const JobId retrying = enqueue(job());
  EXPECT_EQ(retry(take_one().token, 1s), Verdict::done);

  EXPECT_EQ(cancel(scheduled), Verdict::done);
  EXPECT_EQ(cancel(retrying), Verdict::done);

  advance(2s);
  EXPECT_EQ(maintain().promoted, 0);
  EXPECT_THAT(take(), IsEmpty());
}

// Known fault 123.
TEST_P(QueueCancelContract, ARunningAttemptFindsItsTokenLost) {
  const std::vector<JobId> ids = enqueue_batch(2);
  const std::vector<Work> work = take();

  EXPECT_EQ(cancel(ids[0]), Verdict::done);

  EXPECT_EQ(extend(work[0].token), Verdict::lost);
  EXPECT_EQ(complete(work[0].token), Verdict::lost);
  EXPECT_EQ(retry(work[0].token), Verdict::lost);
  EXPECT_FALSE(show(ids[0]));
  EXPECT_EQ(complete(work[1].token), Verdict::done) << "its neighbour goes on";
}

TEST_P(QueueCancelContract, OfARunningJobThatDiesLeavesNothing) {
  const JobId id = enqueue(job());
  (void)take();
  EXPECT_EQ(cancel(id), Verdict::done);

  EXPECT_EQ(pass(kLease + 10s).rescued, 0);
  EXPECT_FALSE(show(id));
}

TEST_P(QueueCancelContract, WhatEndedIsLost) {
  const JobId completed = enqueue(job());
  EXPECT_EQ(complete(take_one().token), Verdict::done);
  const JobId dead = enqueue_dead();
  const JobId cancelled = enqueue(job());
  EXPECT_EQ(cancel(cancelled), Verdict::done);

  EXPECT_EQ(cancel(completed), Verdict::lost);
  EXPECT_EQ(cancel(dead), Verdict::lost);
  EXPECT_EQ(cancel(cancelled), Verdict::lost);
  EXPECT_EQ(cancel(JobId{}), Verdict::lost);
  EXPECT_EQ(cancel(JobId{-1}), Verdict::lost);
  EXPECT_EQ(cancel(JobId{cancelled.value + 1'000'000}), Verdict::lost);
  EXPECT_EQ(state_of(dead), JobState::dead);
}

TEST_P(QueueCancelContract, AnswersForEachInOrder) {
  const std::vector<JobId> ids = enqueue_batch(3);
  (void)take_one({.limit = 1});
  const JobId asked[] = {ids[2], JobId{-5}, ids[0], ids[1], ids[2]};

  EXPECT_THAT(queue().cancel(asked), ElementsAre(Verdict::done, Verdict::lost, Verdict::done,
                                                 Verdict::done, Verdict::lost));
  EXPECT_THAT(queue().cancel({}), IsEmpty());
}

TEST_P(QueueCancelContract, ASnoozedJobOfManyAttemptsIsFound) {
  const JobId id = enqueue(job());
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(retry(take_one().token, 0s), Verdict::done);
    maintain();
  }

  EXPECT_EQ(cancel(id), Verdict::done) << "under the position that it has by now";

  EXPECT_THAT(take(), IsEmpty());
}

TEST_P(QueueOperatorBuryContract, AWaitingJobBecomesADeadLetter) {
  const std::vector<JobId> ids = enqueue_batch(3);

  EXPECT_EQ(bury_job(ids[1], "no longer wanted"), Verdict::done);

  EXPECT_EQ(state_of(ids[1]), JobState::dead);
  EXPECT_EQ(info(ids[1]).last_error, "no longer wanted");
  EXPECT_EQ(info(ids[1]).at, now());
  EXPECT_EQ(stored(ids[1]).job.payload, "1");
  EXPECT_THAT(jobs_of(take()), ElementsAre(ids[0], ids[2]));
}

TEST_P(QueueOperatorBuryContract, AScheduledAndARetryingJobBecomeDeadLetters) {
  const JobId scheduled = enqueue({.queue = "q", .kind = "k", .run_at = now() + 1s});
  const JobId retrying = enqueue(job());
  EXPECT_EQ(retry(take_one().token, 1s), Verdict::done);

  EXPECT_EQ(bury_job(scheduled), Verdict::done);
  EXPECT_EQ(bury_job(retrying), Verdict::done);

  EXPECT_EQ(state_of(scheduled), JobState::dead);
  EXPECT_EQ(state_of(retrying), JobState::dead);
  advance(2s);
  EXPECT_EQ(maintain().promoted, 0);
}

TEST_P(QueueOperatorBuryContract, ARunningAttemptFindsItsTokenLost) {
  const JobId id = enqueue(job());
  const Token token = take_one().token;

  EXPECT_EQ(bury_job(id, "stop it"), Verdict::done);

  EXPECT_EQ(complete(token), Verdict::lost);
  EXPECT_EQ(state_of(id), JobState::dead);
  EXPECT_EQ(info(id).last_error, "stop it");
}

TEST_P(QueueOperatorBuryContract, WhatEndedIsLost) {
  const JobId completed = enqueue(job());
  EXPECT_EQ(complete(take_one().token), Verdict::done);
  const JobId dead = enqueue(job());
  EXPECT_EQ(bury_job(dead, "first"), Verdict::done);

  EXPECT_EQ(bury_job(completed), Verdict::lost);
  EXPECT_EQ(bury_job(dead, "second"), Verdict::lost);
  EXPECT_EQ(bury_job(JobId{-1}), Verdict::lost);
  EXPECT_EQ(info(dead).last_error, "first");
}

TEST_P(QueueOperatorBuryContract, TheReasonIsCut) {
  const JobId id = enqueue(job());
  EXPECT_EQ(bury_job(id, std::string(100'000, 'x')), Verdict::done);

  EXPECT_EQ(info(id).last_error.size(), limits::kErrorTextBytes);
}

TEST_P(QueueOperatorBuryContract, ManyAreOneCall) {
  const std::vector<JobId> ids = enqueue_batch(250);

  EXPECT_THAT(queue().bury(ids, "all of them"), Each(Verdict::done));

  EXPECT_EQ(aside().dead, 250);
  EXPECT_THAT(take(), IsEmpty());
}

}  // namespace penstock::contract

// move: to another queue, another priority, or both; by the destination's present width.
#include <set>

#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(QueueMoveContract, ToAnotherQueue) {
  const JobId id = enqueue(job("body"));
  EXPECT_EQ(move(id, {.queue = "other"}), Verdict::done);
  maintain();

  EXPECT_THAT(take(), IsEmpty());
  const Work work = take_one({.queues = {"other"}});
  EXPECT_EQ(work.job->id, id);
  EXPECT_EQ(work.handler, "other");
  EXPECT_EQ(work.job->job.queue, "other");
  EXPECT_EQ(work.job->job.payload, "body");
  EXPECT_EQ(complete(work.token), Verdict::done);
}

TEST_P(QueueMoveContract, ToAnotherPriority) {
  const std::vector<JobId> ids = enqueue_batch(2);
  EXPECT_EQ(move(ids[1], {.priority = 1}), Verdict::done);
  maintain();

  EXPECT_EQ(info(ids[1]).priority, 1);
  EXPECT_THAT(jobs_of(take_all({.limit = 1})), ElementsAre(ids[1], ids[0]));
}

TEST_P(QueueMoveContract, ToBoth) {
  const JobId id = enqueue(job());
  EXPECT_EQ(move(id, {.queue = "other", .priority = 4}), Verdict::done);
  maintain();

  EXPECT_EQ(info(id).queue, "other");
  EXPECT_EQ(info(id).priority, 4);
  EXPECT_EQ(lane(0, 4, "other").waiting, 1);
  EXPECT_EQ(lane().waiting, 0);
}

TEST_P(QueueMoveContract, KeepsWhatTheJobIs) {
  const JobId id = enqueue({.queue = "q",
                            .kind = "receipt",
                            .payload = "body",
                            .key = "order-42",
                            .max_attempts = 7,
                            .unique_key = "u",
                            .deadline = 5s,
                            .headers = {{"a", "b"}}});
  const Timestamp created = now();
  const Token token = take_one().token;
  EXPECT_EQ(save_progress(token, "7"), Verdict::done);
  advance(1s);
  EXPECT_EQ(retry(token, 0s, "boom"), Verdict::done);
  maintain();
  EXPECT_EQ(move(id, {.queue = "other"}), Verdict::done);
  maintain();

  const Work work = take_one({.queues = {"other"}});

  EXPECT_EQ(work.attempts, 1);
  EXPECT_EQ(work.job->created_at, created);
  EXPECT_EQ(work.job->job.run_at, created + 1s);
  EXPECT_EQ(work.job->job.kind, "receipt");
  EXPECT_EQ(work.job->job.key, "order-42");
  EXPECT_EQ(work.job->job.max_attempts, 7);
  EXPECT_EQ(work.job->job.unique_key, "u");
  EXPECT_EQ(work.job->job.deadline, Duration{5s});
  EXPECT_EQ(work.job->job.headers.at("a"), "b");
  EXPECT_EQ(work.job->progress, "7");
  EXPECT_THAT(work.job->errors, SizeIs(1));
}

TEST_P(QueueMoveContract, StandsAtTheEndOfItsNewLane) {
  const JobId moved = enqueue(job());
  const JobId there = enqueue({.queue = "other", .kind = "k"});
  EXPECT_EQ(move(moved, {.queue = "other"}), Verdict::done);
  maintain();

  EXPECT_THAT(jobs_of(take({.queues = {"other"}})), ElementsAre(there, moved));
}

TEST_P(QueueMoveContract, LeavesNoHole) {
  const std::vector<JobId> ids = enqueue_batch(3);
  EXPECT_EQ(move(ids[0], {.queue = "other"}), Verdict::done);

  EXPECT_THAT(jobs_of(take()), ElementsAre(ids[1], ids[2]));
}

TEST_P(QueueMoveContract, AScheduledJobGoesWhenItIsDue) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .run_at = now() + 10s});
  EXPECT_EQ(move(id, {.queue = "other", .priority = 3}), Verdict::done);

  EXPECT_EQ(state_of(id), JobState::scheduled);
  EXPECT_EQ(aside(3, "other").scheduled, 1);
  EXPECT_EQ(aside().scheduled, 0);
  advance(10s);
  maintain();
  EXPECT_THAT(jobs_of(take({.queues = {"other"}})), ElementsAre(id));
}

TEST_P(QueueMoveContract, ARetryingJobGoesWhenItIsDue) {
  const JobId id = enqueue(job());
  EXPECT_EQ(retry(take_one().token, 10s), Verdict::done);
  EXPECT_EQ(move(id, {.queue = "other"}), Verdict::done);

  EXPECT_EQ(state_of(id), JobState::retrying);
  advance(10s);
  maintain();
  EXPECT_EQ(take_one({.queues = {"other"}}).attempts, 1);
}

// Known fault 119.
TEST_P(QueueMoveContract, ARunningJobStays) {
  const JobId id = enqueue(job());
  const Token token = take_one().token;

  EXPECT_EQ(move(id, {.queue = "other"}), Verdict::lost);

  EXPECT_EQ(state_of(id), JobState::running);
  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(QueueMoveContract, WhatEndedStays) {
  const JobId dead = enqueue_dead();

  EXPECT_EQ(move(dead, {.queue = "other"}), Verdict::lost);
  EXPECT_EQ(move(JobId{-1}, {.queue = "other"}), Verdict::lost);

  EXPECT_EQ(info(dead).queue, "q");
}

TEST_P(QueueMoveContract, WhatIsThereAlreadyStays) {
  const std::vector<JobId> ids = enqueue_batch(2);

  EXPECT_EQ(move(ids[0], {.queue = "q"}), Verdict::lost);
  EXPECT_EQ(move(ids[0], {.priority = 2}), Verdict::lost);
  EXPECT_EQ(move(ids[0], {.queue = "q", .priority = 2}), Verdict::lost);

  EXPECT_THAT(jobs_of(take()), ElementsAre(ids[0], ids[1])) << "where it stood";
}

TEST_P(QueueMoveContract, AScheduledJobThatIsThereAlreadyStays) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .run_at = now() + 10s});

  EXPECT_EQ(move(id, {.queue = "q"}), Verdict::lost);
}

TEST_P(QueueMoveContract, AnswersForEachInOrder) {
  const std::vector<JobId> ids = enqueue_batch(3);
  (void)take_one({.limit = 1});
  const JobId asked[] = {ids[2], ids[0], ids[1], JobId{-1}};

  EXPECT_THAT(queue().move(asked, {.queue = "other"}),
              ElementsAre(Verdict::done, Verdict::lost, Verdict::done, Verdict::lost));
}

TEST_P(QueueMoveContract, ManyAreOneCall) {
  const std::vector<JobId> ids = enqueue_batch(250);

  EXPECT_THAT(queue().move(ids, {.queue = "other"}), Each(Verdict::done));
  maintain();

  EXPECT_THAT(drain({.queues = {"other"}}), SizeIs(250));
}

TEST_P(QueueMoveContract, ABadDestinationIsRefused) {
  const JobId id = enqueue(job());
  for (const Destination& to :
       {Destination{}, Destination{.queue = ""}, Destination{.priority = 0},
        Destination{.priority = 5}, Destination{.queue = std::string(201, 'x')}}) {
    const auto refusal = refusal_of([&] { (void)move(id, to); });
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
  }

  EXPECT_EQ(info(id).queue, "q");
}

// N6: a job that was routed by its key goes to shard mod width, one without by the ordinary rule.
TEST_P(QueueMoveContract, AKeyedJobGoesToItsShardModuloTheWidth) {
  queue().set_shards("q", 8);
  queue().set_shards("other", 3);
  for (int shard = 0; shard < 8; ++shard) {
    const JobId id = enqueue(keyed_job(key_of_shard(shard, 8)));
    ASSERT_EQ(info(id).shard, shard);

    EXPECT_EQ(move(id, {.queue = "other"}), Verdict::done);
    maintain();

    EXPECT_EQ(info(id).shard, shard % 3) << "from shard " << shard;
  }
}

TEST_P(QueueMoveContract, AKeylessJobStaysWithinTheWidth) {
  queue().set_shards("q", 8);
  queue().set_shards("other", 3);
  const std::vector<JobId> ids = enqueue_each(32);

  EXPECT_THAT(queue().move(ids, {.queue = "other"}), Each(Verdict::done));
  maintain();

  std::set<int> shards;
  for (const JobId id : ids) shards.insert(info(id).shard.value());
  EXPECT_LT(*shards.rbegin(), 3);
  EXPECT_THAT(drain({.queues = {"other"}}), SizeIs(32));
}

TEST_P(QueueMoveContract, OnlyThePresentWidthCounts) {
  queue().set_shards("q", 8);
  const JobId id = enqueue(keyed_job(key_of_shard(7, 8)));
  queue().set_shards("q", 4);
  EXPECT_EQ(move(id, {.priority = 1}), Verdict::done);
  maintain();

  EXPECT_EQ(info(id).shard, 3);
}

TEST_P(QueueMoveContract, ToAPausedQueueMeansToWait) {
  queue().set_paused("other", true);
  const JobId id = enqueue(job());
  EXPECT_EQ(move(id, {.queue = "other"}), Verdict::done);
  maintain();
  EXPECT_THAT(take({.queues = {"other"}}), IsEmpty());

  queue().set_paused("other", false);
  maintain();

  EXPECT_THAT(jobs_of(take({.queues = {"other"}})), ElementsAre(id));
}

TEST_P(QueueMoveContract, ThereAndBackAgain) {
  const JobId id = enqueue(job());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(move(id, {.queue = "other"}), Verdict::done);
    maintain();
    EXPECT_EQ(move(id, {.queue = "q"}), Verdict::done);
    maintain();
  }

  EXPECT_EQ(drain(), std::vector{id});
}

}  // namespace penstock::contract

// Scheduled jobs: nothing runs before it is due, by the clock of the store.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

TEST_P(QueueScheduleContract, RunsNothingBeforeItIsDue) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .run_at = now() + 10s});
  EXPECT_EQ(state_of(id), JobState::scheduled);
  advance(10s - 1us);
  EXPECT_EQ(maintain().promoted, 0);
  EXPECT_THAT(take(), IsEmpty());

  advance(1us);
  maintain();

  EXPECT_EQ(take_one().job->id, id);
}

TEST_P(QueueScheduleContract, BecomesReadyOnTime) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .run_at = now() + 10s});
  advance(11s);

  EXPECT_EQ(maintain().promoted, 1);

  EXPECT_EQ(state_of(id), JobState::ready);
  EXPECT_EQ(info(id).shard, 0);
}

TEST_P(QueueScheduleContract, KeepsItsDueTimeAndWhenItWasCreated) {
  const Timestamp created = now();
  enqueue({.queue = "q", .kind = "k", .run_at = now() + 10s});
  advance(25s);
  maintain();

  const Work work = take_one();

  EXPECT_EQ(work.job->job.run_at, created + 10s);
  EXPECT_EQ(work.job->created_at, created);
  EXPECT_EQ(work.published_at, created);
}

TEST_P(QueueScheduleContract, KeepsTheWholeJob) {
  const NewJob given{.queue = "q",
                     .kind = "receipt",
                     .payload = std::string("\0x", 2),
                     .priority = 3,
                     .key = "order-42",
                     .run_at = now() + 10s,
                     .max_attempts = 3,
                     .unique_key = "u",
                     .deadline = 5s,
                     .content_type = "text/plain",
                     .headers = {{"a", "b"}}};
  enqueue(given);
  advance(10s);
  maintain();

  const NewJob stored = take_one().job->job;

  EXPECT_EQ(stored.kind, given.kind);
  EXPECT_EQ(stored.payload, given.payload);
  EXPECT_EQ(stored.priority, given.priority);
  EXPECT_EQ(stored.key, given.key);
  EXPECT_EQ(stored.max_attempts, given.max_attempts);
  EXPECT_EQ(stored.unique_key, given.unique_key);
  EXPECT_EQ(stored.deadline, given.deadline);
  EXPECT_EQ(stored.content_type, given.content_type);
  EXPECT_EQ(stored.headers, given.headers);
}

TEST_P(QueueScheduleContract, WhatIsPastIsReadyAtOnce) {
  const JobId past = enqueue({.queue = "q", .kind = "k", .run_at = now() - 1h});
  const JobId present = enqueue({.queue = "q", .kind = "k", .run_at = now()});

  EXPECT_THAT(jobs_of(take()), ElementsAre(past, present));
}

TEST_P(QueueScheduleContract, APastTimeDoesNotJumpTheQueue) {
  const JobId first = enqueue(job());
  const JobId second = enqueue({.queue = "q", .kind = "k", .run_at = now() - 1h});

  EXPECT_THAT(jobs_of(take()), ElementsAre(first, second));
}

// Known fault 57: ages and due times of every size are only numbers.
TEST_P(QueueScheduleContract, FarAwayTimesAreOrdinaryTimes) {
  const JobId past = enqueue({.queue = "q", .kind = "k", .run_at = now() - std::chrono::years{50}});
  const JobId future =
      enqueue({.queue = "q", .kind = "k", .run_at = now() + std::chrono::years{200}});
  maintain();

  EXPECT_THAT(jobs_of(take()), ElementsAre(past));
  EXPECT_EQ(state_of(future), JobState::scheduled);
}

TEST_P(QueueScheduleContract, ThoseThatAreDueTogetherComeInTheOrderOfTheirTimes) {
  std::vector<JobId> ids;
  for (const Duration delay : {30s, 10s, 20s}) {
    ids.push_back(enqueue({.queue = "q", .kind = "k", .run_at = now() + delay}));
  }
  advance(1min);
  maintain();

  EXPECT_THAT(jobs_of(take()), ElementsAre(ids[1], ids[2], ids[0]));
}

TEST_P(QueueScheduleContract, StandsBehindWhatIsReadyWhenItBecomesDue) {
  const JobId scheduled = enqueue({.queue = "q", .kind = "k", .run_at = now() + 10s});
  const JobId ready = enqueue(job());
  advance(10s);
  maintain();

  EXPECT_THAT(jobs_of(take()), ElementsAre(ready, scheduled));
}

TEST_P(QueueScheduleContract, ABatchMayBePartlyScheduled) {
  const NewJob jobs[] = {job("0"), {.queue = "q", .kind = "k", .run_at = now() + 1h}, job("2")};
  const std::vector<Enqueued> answers = queue().enqueue(jobs, nullptr);

  EXPECT_THAT(jobs_of(take()), ElementsAre(answers[0].id, answers[2].id));
  EXPECT_EQ(state_of(answers[1].id), JobState::scheduled);
}

TEST_P(QueueScheduleContract, PromotesByTheThousand) {
  constexpr int kMany = 2'500;
  enqueue_batch(kMany, {.queue = "q", .kind = "k", .run_at = now() + 1s});
  EXPECT_EQ(aside().scheduled, kMany);
  advance(1s);

  EXPECT_EQ(maintain().promoted, kMany);

  EXPECT_EQ(aside().scheduled, 0);
  EXPECT_EQ(lane().waiting, kMany);
}

TEST_P(QueueScheduleContract, APriorityIsKept) {
  const std::vector<JobId> ids =
      enqueue_each(3, {.queue = "q", .kind = "k", .priority = 4, .run_at = now() + 1s});
  advance(1s);
  maintain();

  EXPECT_EQ(lane(0, 4).waiting, 3);
  EXPECT_THAT(jobs_of(take()), ElementsAreArray(ids));
}

TEST_P(QueueScheduleContract, SaysWhenTheNextIsDue) {
  enqueue({.queue = "q", .kind = "k", .run_at = now() + 10s});

  const std::optional<Duration> due_in = claim().next_due_in;

  // A hint, which may be absent, but never later than the truth.
  EXPECT_LE(due_in.value_or(0s), Duration{10s});
}

}  // namespace penstock::contract

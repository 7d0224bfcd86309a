// Durability: what a call reported as done is there after the store was closed and opened again.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A store that is not durable has no business with this suite.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(QueueDurableContract);

TEST_P(QueueDurableContract, KeepsJobsAndTheirOrder) {
  std::vector<JobId> ids = enqueue_batch(5);
  reopen();
  for (const JobId id : enqueue_batch(5)) ids.push_back(id);

  EXPECT_THAT(jobs_of(take()), ElementsAreArray(ids));
}

TEST_P(QueueDurableContract, KeepsEveryEnd) {
  const std::vector<JobId> ids = enqueue_batch(5);
  const std::vector<Work> work = take();
  EXPECT_EQ(complete(work[0].token), Verdict::done);
  EXPECT_EQ(retry(work[1].token, 1h, "later"), Verdict::done);
  EXPECT_EQ(bury(work[2].token, "never"), Verdict::done);
  EXPECT_EQ(release(work[3].token), Verdict::done);
  EXPECT_EQ(cancel(ids[4]), Verdict::done);

  reopen();
  maintain();

  EXPECT_FALSE(show(ids[0]));
  EXPECT_EQ(state_of(ids[1]), JobState::retrying);
  EXPECT_EQ(info(ids[1]).last_error, "later");
  EXPECT_EQ(info(ids[2]).last_error, "never");
  EXPECT_EQ(state_of(ids[3]), JobState::ready);
  EXPECT_FALSE(show(ids[4]));
  EXPECT_EQ(lane().completed, 1);
  EXPECT_EQ(lane().claimed, 5);
}

// T15: a process ends after its claim was committed.
TEST_P(QueueDurableContract, RescuesWhatAnEndedProcessClaimed) {
  const std::vector<JobId> ids = enqueue_batch(3);
  EXPECT_THAT(take(), SizeIs(3));
  reopen();
  EXPECT_THAT(take({.worker = "worker-b"}), IsEmpty());

  EXPECT_EQ(pass(kLease + 10s, {"worker-b"}).rescued, 3);

  EXPECT_THAT(drain({.worker = "worker-b"}), ElementsAreArray(ids));
}

// Known fault 23.
TEST_P(QueueDurableContract, ARestartedProcessIsAnotherProcess) {
  enqueue(job());
  (void)take_one({.worker = "same-name"});
  reopen();
  (void)take({.worker = "same-name"});

  EXPECT_EQ(pass(kLease + 10s, {"same-name"}).rescued, 1);
}

TEST_P(QueueDurableContract, KeepsProgressAndErrors) {
  const JobId id = enqueue(job());
  const Token token = take_one().token;
  EXPECT_EQ(save_progress(token, "7"), Verdict::done);
  EXPECT_EQ(retry(token, 1h, "boom"), Verdict::done);

  reopen();

  EXPECT_EQ(stored(id).progress, "7");
  ASSERT_THAT(stored(id).errors, SizeIs(1));
  EXPECT_EQ(stored(id).errors[0].error, "boom");
}

TEST_P(QueueDurableContract, KeepsSettingsAndUniqueKeys) {
  queue().set_shards("q", 7);
  queue().set_paused("q", true);
  const JobId id = enqueue(unique_job("u"));

  reopen();

  const std::vector<QueueSettings> queues = queue().statistics(Counting::exact).queues;
  ASSERT_THAT(queues, SizeIs(1));
  EXPECT_EQ(queues[0].shards, 7);
  EXPECT_TRUE(queues[0].paused);
  EXPECT_EQ(try_enqueue(unique_job("u")), (Enqueued{.id = id, .created = false}));
}

TEST_P(QueueDurableContract, NeverUsesAnIdAgain) {
  const JobId first = enqueue(job());
  EXPECT_EQ(complete(take_one().token), Verdict::done);
  for (int i = 0; i < 3; ++i) maintain();
  reopen();

  EXPECT_GT(enqueue(job()), first);
}

TEST_P(QueueDurableContract, KeepsScheduledAndDeadJobs) {
  const JobId dead = enqueue_dead();
  const JobId later = enqueue({.queue = "q", .kind = "k", .run_at = now() + 1h});

  reopen();

  EXPECT_EQ(state_of(dead), JobState::dead);
  EXPECT_EQ(state_of(later), JobState::scheduled);
  advance(1h);
  maintain();
  EXPECT_THAT(jobs_of(take()), ElementsAre(later));
}

TEST_P(QueueDurableContract, LosesWhatWasNotCommitted) {
  JobId id;
  {
    const auto transaction = bus().begin();
    id = enqueue_in(*transaction, job()).id;
  }
  reopen();

  EXPECT_FALSE(show(id));
}

}  // namespace penstock::contract

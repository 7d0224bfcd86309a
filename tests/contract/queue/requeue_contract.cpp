// requeue and purge_dead: what an operator does with the dead letters.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST_P(QueueRequeueContract, GivesAFreshBudget) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .max_attempts = 3});
  EXPECT_EQ(retry(take_one().token, 0s), Verdict::done);
  maintain();
  EXPECT_EQ(bury(take_one().token), Verdict::done);
  EXPECT_EQ(info(id).attempts, 2);
  advance(1h);

  EXPECT_THAT(requeue_all(), ElementsAre(id));
  maintain();

  const Work work = take_one();
  EXPECT_EQ(work.job->id, id);
  EXPECT_EQ(work.attempts, 0);
  EXPECT_EQ(work.job->job.max_attempts, 3);
  EXPECT_EQ(work.job->job.run_at, now()) << "it is due now";
  EXPECT_EQ(work.job->created_at, now() - 1h);
  EXPECT_EQ(complete(work.token), Verdict::done);
}

TEST_P(QueueRequeueContract, KeepsTheWholeJob) {
  const JobId id = enqueue_dead({.queue = "q",
                                 .kind = "receipt",
                                 .payload = std::string("\0x", 2),
                                 .priority = 3,
                                 .key = "order-42",
                                 .unique_key = "u",
                                 .deadline = 5s,
                                 .content_type = "text/plain",
                                 .headers = {{"a", "b"}}});
  EXPECT_THAT(requeue_all(), ElementsAre(id));
  maintain();

  const NewJob stored = take_one().job->job;

  EXPECT_EQ(stored.kind, "receipt");
  EXPECT_EQ(stored.payload, std::string("\0x", 2));
  EXPECT_EQ(stored.priority, 3);
  EXPECT_EQ(stored.key, "order-42");
  EXPECT_EQ(stored.unique_key, "u");
  EXPECT_EQ(stored.deadline, Duration{5s});
  EXPECT_EQ(stored.content_type, "text/plain");
  EXPECT_EQ(stored.headers.at("a"), "b");
}

TEST_P(QueueRequeueContract, SelectsByIdQueueAndKind) {
  const JobId a = enqueue_dead({.queue = "q", .kind = "a"});
  const JobId b = enqueue_dead({.queue = "q", .kind = "b"});
  const JobId c = enqueue_dead({.queue = "other", .kind = "a"});
  const JobId d = enqueue_dead({.queue = "other", .kind = "b"});

  EXPECT_THAT(queue().requeue({.ids = {a, d}, .queue = "q"}, 10), ElementsAre(a))
      << "all conditions hold";
  EXPECT_THAT(queue().requeue({.queue = "other", .kind = "b"}, 10), ElementsAre(d));
  EXPECT_THAT(queue().requeue({.kind = "a"}, 10), ElementsAre(c));
  EXPECT_THAT(queue().requeue({.queue = "nobody"}, 10), IsEmpty());
  EXPECT_THAT(queue().requeue({.all = true}, 10), ElementsAre(b));
}

TEST_P(QueueRequeueContract, TakesNoMoreThanItsLimit) {
  for (int i = 0; i < 5; ++i) enqueue_dead();

  EXPECT_THAT(queue().requeue({.all = true}, 2), SizeIs(2));
  EXPECT_THAT(queue().requeue({.all = true}, 2), SizeIs(2));
  EXPECT_THAT(queue().requeue({.all = true}, 2), SizeIs(1));
  EXPECT_THAT(queue().requeue({.all = true}, 2), IsEmpty());
}

TEST_P(QueueRequeueContract, AnEmptySelectionIsRefused) {
  const JobId id = enqueue_dead();

  const auto refusal = refusal_of([&] { queue().requeue({}, 10); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_EQ(state_of(id), JobState::dead);
}

TEST_P(QueueRequeueContract, LeavesTheLiving) {
  const JobId ready = enqueue({.queue = "a", .kind = "k"});
  const JobId running = enqueue(job());
  const Token token = take_one().token;

  EXPECT_THAT(queue().requeue({.ids = {ready, running, JobId{-1}}}, 10), IsEmpty());

  EXPECT_EQ(complete(token), Verdict::done);
  EXPECT_EQ(state_of(ready), JobState::ready);
}

TEST_P(QueueRequeueContract, UsesThePresentWidth) {
  queue().set_shards("q", 8);
  const std::string key = key_of_shard(7, 8);
  const JobId id = enqueue_dead(keyed_job(key));
  queue().set_shards("q", 2);
  EXPECT_THAT(requeue_all(), ElementsAre(id));
  maintain();

  EXPECT_LT(info(id).shard.value(), 2);
}

TEST_P(QueueRequeueContract, OfTwoAtOnceOneWins) {
  for (int i = 0; i < 20; ++i) enqueue_dead();
  std::array<std::vector<JobId>, 4> taken;

  at_once(4, [&](int thread) { taken[static_cast<std::size_t>(thread)] = requeue_all(); });
  maintain();

  std::size_t sum = 0;
  for (const auto& ids : taken) sum += ids.size();
  EXPECT_EQ(sum, 20U);
  EXPECT_THAT(drain(), SizeIs(20));
}

TEST_P(QueueRequeueContract, ADeadJobStandsStillUntilThen) {
  enqueue_dead();
  advance(std::chrono::days{1});
  maintain();

  EXPECT_THAT(take(), IsEmpty());
}

TEST_P(QueuePurgeContract, DeletesWhatIsSelected) {
  const JobId a = enqueue_dead({.queue = "q", .kind = "a"});
  const JobId b = enqueue_dead({.queue = "q", .kind = "b"});
  const JobId c = enqueue_dead({.queue = "other", .kind = "a"});

  EXPECT_EQ(queue().purge_dead({.queue = "q", .kind = "a"}, 10), 1);
  EXPECT_FALSE(show(a));
  EXPECT_EQ(queue().purge_dead({.ids = {c, JobId{-1}}}, 10), 1);
  EXPECT_FALSE(show(c));
  EXPECT_EQ(state_of(b), JobState::dead);
  EXPECT_EQ(queue().purge_dead({.all = true}, 10), 1);
  EXPECT_THAT(list(JobState::dead), IsEmpty());
}

TEST_P(QueuePurgeContract, DeletesNoMoreThanItsLimit) {
  for (int i = 0; i < 5; ++i) enqueue_dead();

  EXPECT_EQ(queue().purge_dead({.all = true}, 3), 3);
  EXPECT_EQ(queue().purge_dead({.all = true}, 3), 2);
  EXPECT_EQ(queue().purge_dead({.all = true}, 3), 0);
}

TEST_P(QueuePurgeContract, AnEmptySelectionIsRefused) {
  enqueue_dead();

  const auto refusal = refusal_of([&] { queue().purge_dead({}, 10); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_THAT(list(JobState::dead), SizeIs(1));
}

TEST_P(QueuePurgeContract, LeavesTheLiving) {
  const JobId ready = enqueue({.queue = "a", .kind = "k"});
  const JobId running = enqueue(job());
  (void)take_one();

  EXPECT_EQ(queue().purge_dead({.ids = {ready, running}}, 10), 0);
  EXPECT_EQ(queue().purge_dead({.all = true}, 10), 0);

  EXPECT_EQ(state_of(ready), JobState::ready);
  EXPECT_EQ(state_of(running), JobState::running);
}

TEST_P(QueuePurgeContract, AfterItNothingIsThereToRequeue) {
  const JobId id = enqueue_dead();
  EXPECT_EQ(queue().purge_dead({.all = true}, 10), 1);

  EXPECT_THAT(queue().requeue({.ids = {id}}, 10), IsEmpty());
}

}  // namespace penstock::contract

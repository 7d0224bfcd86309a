// The order of lanes: by effective priority after ageing, then by the age of their first jobs.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST_P(QueuePriorityContract, TheMostUrgentComesFirst) {
  std::vector<JobId> ids;
  for (const int priority : {4, 2, 3, 1}) {
    ids.push_back(enqueue({.queue = "q", .kind = "k", .priority = priority}));
  }

  EXPECT_THAT(jobs_of(take_all({.limit = 1})), ElementsAre(ids[3], ids[1], ids[2], ids[0]));
}

TEST_P(QueuePriorityContract, IsInOrderWithinEachPriority) {
  std::vector<JobId> urgent;
  std::vector<JobId> calm;
  for (int i = 0; i < 5; ++i) {
    calm.push_back(enqueue({.queue = "q", .kind = "k", .priority = 3}));
    urgent.push_back(enqueue({.queue = "q", .kind = "k", .priority = 1}));
  }
  urgent.insert(urgent.end(), calm.begin(), calm.end());

  EXPECT_THAT(drain({.limit = 2}), ElementsAreArray(urgent));
}

TEST_P(QueuePriorityContract, AJobGainsAStepForEachTimeThatItWaits) {
  const JobId old = enqueue({.queue = "q", .kind = "k", .priority = 4});
  advance(2min);  // 4 became 2.
  const JobId third = enqueue({.queue = "q", .kind = "k", .priority = 3});
  const JobId first = enqueue({.queue = "q", .kind = "k", .priority = 1});

  EXPECT_THAT(jobs_of(take_all({.limit = 1})), ElementsAre(first, old, third));
}

TEST_P(QueuePriorityContract, OneStepTooFewIsNotEnough) {
  const JobId old = enqueue({.queue = "q", .kind = "k", .priority = 4});
  advance(2min - 1us);  // 4 became 3.
  const JobId fresh = enqueue({.queue = "q", .kind = "k", .priority = 2});

  EXPECT_THAT(jobs_of(take_all({.limit = 1})), ElementsAre(fresh, old));
}

TEST_P(QueuePriorityContract, OfEqualPrioritiesTheOlderHeadComesFirst) {
  const JobId old = enqueue({.queue = "q", .kind = "k", .priority = 4});
  advance(3min);  // 4 became 1.
  const JobId fresh = enqueue({.queue = "q", .kind = "k", .priority = 1});

  EXPECT_THAT(jobs_of(take_all({.limit = 1})), ElementsAre(old, fresh));
}

TEST_P(QueuePriorityContract, AgeingIsOfTheProcess) {
  (void)source("patient", {.ageing = 0s});
  (void)source("hasty", {.ageing = 1s});
  enqueue_each(2, {.queue = "q", .kind = "k", .priority = 4});
  advance(1h);
  enqueue_each(2, {.queue = "q", .kind = "k", .priority = 1});

  EXPECT_EQ(take_one({.worker = "patient", .limit = 1}).job->job.priority, 1);
  EXPECT_EQ(take_one({.worker = "hasty", .limit = 1}).job->job.priority, 4);
}

// Known fault 37.
TEST_P(QueuePriorityContract, AnAgedJobKeepsThePriorityThatItHas) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .priority = 4});
  advance(1h);
  const Work work = take_one();

  EXPECT_EQ(work.job->job.priority, 4);
  EXPECT_EQ(info(id).priority, 4);
  EXPECT_EQ(lane(0, 4).running, 1);
  EXPECT_EQ(retry(work.token, 0s), Verdict::done);
  maintain();
  EXPECT_EQ(lane(0, 4).waiting, 1);
}

// A retried job does not outrank others by the age that it had.
TEST_P(QueuePriorityContract, AgeBeginsWhenAJobBecomesDue) {
  NewJob old{.queue = "q", .kind = "k", .priority = 3};
  const JobId retried = enqueue(old);
  advance(1h);
  EXPECT_EQ(retry(take_one().token, 1s), Verdict::done);
  advance(1s);
  maintain();
  const JobId fresh = enqueue({.queue = "q", .kind = "k", .priority = 2});

  EXPECT_THAT(jobs_of(take_all({.limit = 1})), ElementsAre(fresh, retried));
}

TEST_P(QueuePriorityContract, AgesOfAMonthAreOnlyNumbers) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .priority = 4, .max_attempts = 1'000});
  advance(std::chrono::days{30});
  (void)source("worker-a", {.ageing = 1us});

  EXPECT_EQ(take_one().job->id, id);
}

TEST_P(QueuePriorityContract, AYoungerShardWaitsForAnOlder) {
  queue().set_shards("q", 2);
  const JobId old = enqueue(keyed_job(key_of_shard(1, 2)));
  advance(1s);
  const JobId young = enqueue(keyed_job(key_of_shard(0, 2)));

  EXPECT_THAT(jobs_of(take_all({.limit = 1})), ElementsAre(old, young));
}

}  // namespace penstock::contract

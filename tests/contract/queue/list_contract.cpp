// list, show and statistics: what an operator sees.
#include <algorithm>
#include <tuple>

#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(QueueListContract, ListsAJobOfEveryState) {
  const JobId running = enqueue(job());
  (void)take_one();
  const JobId retrying = enqueue(job());
  EXPECT_EQ(retry(take_one().token, 1h), Verdict::done);
  const JobId dead = enqueue_dead();
  const JobId ready = enqueue(job());
  const JobId scheduled = enqueue({.queue = "q", .kind = "k", .run_at = now() + 1h});

  EXPECT_THAT(jobs_of(list(JobState::running)), ElementsAre(running));
  EXPECT_THAT(jobs_of(list(JobState::retrying)), ElementsAre(retrying));
  EXPECT_THAT(jobs_of(list(JobState::dead)), ElementsAre(dead));
  EXPECT_THAT(jobs_of(list(JobState::ready)), ElementsAre(ready));
  EXPECT_THAT(jobs_of(list(JobState::scheduled)), ElementsAre(scheduled));
  EXPECT_THAT(list(JobState::completed), IsEmpty());
  EXPECT_THAT(list(JobState::cancelled), IsEmpty());
}

TEST_P(QueueListContract, SaysWhatAJobIs) {
  queue().set_shards("q", 4);
  const JobId id = enqueue({.queue = "q",
                            .kind = "receipt",
                            .payload = std::string(1'234, 'x'),
                            .priority = 3,
                            .key = "order-42",
                            .max_attempts = 7,
                            .unique_key = "u"});

  const std::vector<JobInfo> items = list(JobState::ready);

  ASSERT_THAT(items, SizeIs(1));
  EXPECT_EQ(items[0].id, id);
  EXPECT_EQ(items[0].queue, "q");
  EXPECT_EQ(items[0].kind, "receipt");
  EXPECT_EQ(items[0].state, JobState::ready);
  EXPECT_EQ(items[0].priority, 3);
  EXPECT_TRUE(items[0].shard.has_value());
  EXPECT_EQ(items[0].key, "order-42");
  EXPECT_EQ(items[0].unique_key, "u");
  EXPECT_EQ(items[0].attempts, 0);
  EXPECT_EQ(items[0].max_attempts, 7);
  EXPECT_FALSE(items[0].suspect);
  EXPECT_EQ(items[0].run_at, now());
  EXPECT_EQ(items[0].created_at, now());
  EXPECT_EQ(items[0].at, now());
  EXPECT_EQ(items[0].payload_bytes, 1'234U);
  EXPECT_EQ(items[0].last_error, "");
  EXPECT_FALSE(items[0].worker) << "from show only";
  EXPECT_FALSE(items[0].job) << "from show only";
}

TEST_P(QueueListContract, ShowsOneJobWhole) {
  const JobId id = enqueue(job("body"));
  (void)take_one();

  const JobInfo shown = info(id);

  EXPECT_EQ(shown.state, JobState::running);
  EXPECT_EQ(shown.worker, "worker-a");
  EXPECT_EQ(shown.shard, 0);
  ASSERT_TRUE(shown.job);
  EXPECT_EQ(shown.job->id, id);
  EXPECT_EQ(shown.job->job.payload, "body");
  EXPECT_EQ(shown.job->job.queue, "q");
}

TEST_P(QueueListContract, ShowsNothingOfNoJob) {
  EXPECT_FALSE(show(JobId{}));
  EXPECT_FALSE(show(JobId{-1}));
  EXPECT_FALSE(show(JobId{1'000'000'000}));
}

TEST_P(QueueListContract, ShowsEveryState) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .payload = "b", .run_at = now() + 1s});
  EXPECT_EQ(stored(id).job.payload, "b");
  EXPECT_EQ(state_of(id), JobState::scheduled);
  advance(1s);
  maintain();
  EXPECT_EQ(stored(id).job.payload, "b");
  EXPECT_EQ(state_of(id), JobState::ready);
  EXPECT_EQ(retry(take_one().token, 1h), Verdict::done);
  EXPECT_EQ(stored(id).job.payload, "b");
  EXPECT_EQ(state_of(id), JobState::retrying);
  EXPECT_EQ(bury_job(id), Verdict::done);
  EXPECT_EQ(stored(id).job.payload, "b");
  EXPECT_EQ(state_of(id), JobState::dead);
}

TEST_P(QueueListContract, FiltersByQueueKindAndId) {
  const JobId a = enqueue({.queue = "q", .kind = "a"});
  const JobId b = enqueue({.queue = "q", .kind = "b"});
  const JobId c = enqueue({.queue = "other", .kind = "a", .priority = 4});

  EXPECT_THAT(jobs_of(find({.queue = "q"})), ElementsAre(a, b));
  EXPECT_THAT(jobs_of(find({.kind = "a"})), ElementsAre(a, c));
  EXPECT_THAT(jobs_of(find({.queue = "other", .kind = "a"})), ElementsAre(c));
  EXPECT_THAT(jobs_of(find({.ids = {c, a, JobId{-1}}})), ElementsAre(a, c));
  EXPECT_THAT(jobs_of(find({.queue = "q", .ids = {c, a}})), ElementsAre(a));
  EXPECT_THAT(find({.queue = "nobody"}), IsEmpty());
}

TEST_P(QueueListContract, FiltersInEveryState) {
  for (const char* kind : {"a", "b"}) {
    enqueue_dead({.queue = "q", .kind = kind});
    enqueue({.queue = "q", .kind = kind, .run_at = now() + 1h});
    enqueue({.queue = "running", .kind = kind});
  }
  EXPECT_THAT(take({.queues = {"running"}}), SizeIs(2));

  for (const JobState state : {JobState::dead, JobState::scheduled, JobState::running}) {
    EXPECT_THAT(find({.state = state, .kind = "a"}), SizeIs(1)) << to_string(state);
    EXPECT_THAT(find({.state = state, .queue = "none"}), IsEmpty()) << to_string(state);
  }
}

// Known fault 121.
TEST_P(QueueListContract, PagesWithoutSkippingOrRepeating) {
  queue().set_shards("q", 4);
  std::vector<JobId> ids;
  for (int i = 0; i < 10; ++i) {
    for (const JobId id : enqueue_batch(3, {.queue = "q", .kind = "k", .priority = 1 + i % 4})) {
      ids.push_back(id);
    }
  }
  std::ranges::sort(ids);

  for (const std::size_t limit : {1U, 3U, 7U, 29U, 30U, 31U, 100U}) {
    EXPECT_THAT(jobs_of(find({.limit = limit})), ElementsAreArray(ids)) << limit;
  }
}

TEST_P(QueueListContract, APageBeginsBehindItsCursor) {
  const std::vector<JobId> ids = enqueue_batch(5);

  const JobPage page = queue().list({.after = ids[1], .limit = 2});

  EXPECT_THAT(jobs_of(page.items), ElementsAre(ids[2], ids[3]));
  EXPECT_EQ(page.next, ids[3]);
  EXPECT_EQ(page.at, now());
  EXPECT_EQ(queue().list({.after = ids[3]}).next, std::nullopt);
}

TEST_P(QueueListContract, ALimitIsOneToTenThousand) {
  for (const std::size_t limit : {std::size_t{0}, std::size_t{10'001}}) {
    const auto refusal = refusal_of([&] { (void)queue().list({.limit = limit}); });
    ASSERT_TRUE(refusal) << limit;
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
    EXPECT_EQ(refusal->field, "limit");
  }
  (void)queue().list({.limit = 10'000});
}

TEST_P(QueueListContract, SaysWhenADeadJobDied) {
  const JobId id = enqueue(job());
  advance(1h);
  EXPECT_EQ(bury(take_one().token), Verdict::done);
  const Timestamp died = now();
  advance(1h);

  EXPECT_EQ(info(id).at, died);
  EXPECT_EQ(info(id).created_at, died - 1h);
}

TEST_P(QueueStatisticsContract, CountEveryLane) {
  queue().set_shards("q", 2);
  enqueue_batch(3, keyed_job(key_of_shard(0, 2)));
  enqueue_batch(5, keyed_job(key_of_shard(1, 2)));
  enqueue({.queue = "other", .kind = "k", .priority = 4});
  const std::vector<Work> work = take_all({.limit = 1});
  ASSERT_THAT(work, SizeIs(8));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(release(work[i].token), Verdict::done);
  maintain();
  EXPECT_EQ(complete(work[4].token), Verdict::done);

  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t claimed = 0;
  std::int64_t completed = 0;
  for (const LaneCounts& lane : lanes()) {
    waiting += lane.waiting;
    running += lane.running;
    claimed += lane.claimed;
    completed += lane.completed;
  }

  EXPECT_EQ(waiting, 4);
  EXPECT_EQ(running, 3);
  EXPECT_EQ(claimed, 8);
  EXPECT_EQ(completed, 1);
  EXPECT_EQ(lane(0, 4, "other").waiting, 1);
}

TEST_P(QueueStatisticsContract, AreExactAtEveryStep) {
  const std::vector<JobId> ids = enqueue_batch(10);
  EXPECT_EQ(lane().waiting, 10);
  const std::vector<Work> work = take({.limit = 4});
  EXPECT_EQ(lane().waiting, 6);
  EXPECT_EQ(lane().running, 4);
  EXPECT_EQ(complete(work[0].token), Verdict::done);
  EXPECT_EQ(lane().running, 3);
  EXPECT_EQ(cancel(ids[9]), Verdict::done);
  EXPECT_EQ(lane().waiting, 5);
  EXPECT_EQ(cancel(ids[1]), Verdict::done);
  EXPECT_EQ(lane().running, 2);
  EXPECT_EQ(retry(work[2].token, 1h), Verdict::done);
  EXPECT_EQ(lane().running, 1);
  EXPECT_EQ(bury(work[3].token), Verdict::done);
  EXPECT_EQ(lane().running, 0);
  EXPECT_EQ(move(ids[8], {.queue = "other"}), Verdict::done);
  EXPECT_EQ(lane().waiting, 4);
  maintain();

  EXPECT_EQ(lane().claimed, 4);
  EXPECT_EQ(lane().completed, 1);
  EXPECT_EQ(aside().retrying, 1);
  EXPECT_EQ(aside().dead, 1);
  EXPECT_EQ(lane(0, 2, "other").waiting, 1);
}

TEST_P(QueueStatisticsContract, CountWhatStandsAside) {
  enqueue_each(2, {.queue = "q", .kind = "k", .priority = 3, .run_at = now() + 1h});
  enqueue_dead({.queue = "q", .kind = "k", .priority = 3});
  enqueue({.queue = "q", .kind = "k", .priority = 3});
  EXPECT_EQ(retry(take_one().token, 1h), Verdict::done);

  const std::vector<AsideCounts> aside = queue().statistics(Counting::exact).aside;

  ASSERT_THAT(aside, SizeIs(1)) << "only where any is not 0";
  EXPECT_EQ(aside[0].queue, "q");
  EXPECT_EQ(aside[0].priority, 3);
  EXPECT_EQ(aside[0].scheduled, 2);
  EXPECT_EQ(aside[0].retrying, 1);
  EXPECT_EQ(aside[0].dead, 1);
}

TEST_P(QueueStatisticsContract, AreInOrder) {
  for (const char* name : {"b", "a", "c"}) {
    queue().set_shards(name, 2);
    for (const int priority : {3, 1}) {
      for (const int shard : {1, 0}) {
        enqueue({.queue = name, .kind = "k", .priority = priority, .key = key_of_shard(shard, 2)});
      }
    }
  }

  const QueueStatistics statistics = queue().statistics(Counting::exact);

  EXPECT_TRUE(std::ranges::is_sorted(statistics.queues, {}, &QueueSettings::queue));
  EXPECT_THAT(statistics.lanes, SizeIs(12));
  EXPECT_TRUE(std::ranges::is_sorted(statistics.lanes, {}, [](const LaneCounts& lane) {
    return std::tuple{lane.queue, lane.priority, lane.shard};
  }));
  EXPECT_EQ(statistics.at, now());
}

TEST_P(QueueStatisticsContract, FastIsExactForWhatIsSmall) {
  enqueue_batch(50);
  (void)take({.limit = 7});

  const std::vector<LaneCounts> lanes = queue().statistics(Counting::fast).lanes;

  ASSERT_THAT(lanes, SizeIs(1));
  EXPECT_EQ(lanes[0].waiting, 43);
  EXPECT_EQ(lanes[0].running, 7);
  EXPECT_EQ(lanes[0].claimed, 7);
}

TEST_P(QueueStatisticsContract, FastCountsNoFurtherThanTenThousand) {
  enqueue_batch(10'100);

  EXPECT_EQ(lane().waiting, 10'100);
  const std::int64_t fast = queue().statistics(Counting::fast).lanes.at(0).waiting;
  EXPECT_GE(fast, 10'000);
  EXPECT_LE(fast, 10'100);
}

TEST_P(QueueStatisticsContract, KnowAQueueThatWasOnlyConfigured) {
  queue().set_shards("b", 4);
  queue().set_paused("a", true);

  const std::vector<QueueSettings> queues = queue().statistics(Counting::exact).queues;

  ASSERT_THAT(queues, SizeIs(2));
  EXPECT_EQ(queues[0].queue, "a");
  EXPECT_TRUE(queues[0].paused);
  EXPECT_EQ(queues[1].queue, "b");
  EXPECT_EQ(queues[1].shards, 4);
}

TEST_P(QueueStatisticsContract, AClaimThatIsRepeatedCountsAgain) {
  enqueue(job());
  EXPECT_EQ(release(take_one().token), Verdict::done);
  maintain();
  EXPECT_EQ(complete(take_one().token), Verdict::done);

  EXPECT_EQ(lane().claimed, 2);
  EXPECT_EQ(lane().completed, 1);
}

// N17: nothing is left to do, and nothing is said to be.
TEST_P(QueueStatisticsContract, NothingWaitsAfterTheLastJob) {
  queue().set_shards("q", 4);
  for (int i = 0; i < 20; ++i) enqueue_batch(3);
  drain({.limit = 7});
  for (int i = 0; i < 3; ++i) maintain();

  std::int64_t completed = 0;
  for (const LaneCounts& lane : lanes()) {
    EXPECT_EQ(lane.waiting, 0);
    EXPECT_EQ(lane.running, 0);
    completed += lane.completed;
  }
  EXPECT_EQ(completed, 60) << "also after the segments were given back";
}

}  // namespace penstock::contract

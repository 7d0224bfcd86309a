// Shards: strict order with one, order within each with more. The four tests that the second seed
// names are the first four.
#include <map>
#include <set>

#include "contract/queue/queue_contract.hpp"
#include "work/lane_hash.hpp"

namespace penstock::contract {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(QueueShardContract, MultiShardRoundTripThroughCompletion) {
  queue().set_shards("q", 4);
  std::set<JobId> ids;
  for (int call = 0; call < 64; ++call) {
    for (const JobId id : enqueue_batch(3)) ids.insert(id);
  }

  const std::vector<JobId> handled = drain({.limit = 10});

  EXPECT_THAT(handled, SizeIs(ids.size()));
  EXPECT_EQ(std::set<JobId>(handled.begin(), handled.end()), ids);
  const std::vector<LaneCounts> counts = lanes();
  ASSERT_THAT(counts, SizeIs(4));
  std::int64_t completed = 0;
  for (const LaneCounts& lane : counts) {
    EXPECT_GT(lane.completed, 0) << "shard " << lane.shard;
    completed += lane.completed;
  }
  EXPECT_EQ(completed, static_cast<std::int64_t>(ids.size()));
}

TEST_P(QueueShardContract, MultiShardClaimPathDoesNotStarveShards) {
  queue().set_shards("q", 4);
  constexpr int kEach = 25;
  for (int i = 0; i < kEach; ++i) {
    for (int shard = 0; shard < 4; ++shard) enqueue(keyed_job(key_of_shard(shard, 4)));
    advance(1ms);
  }

  // While all have work, none falls behind by more than a few claims.
  for (int claimed = 0; claimed < 2 * kEach; ++claimed) {
    EXPECT_EQ(complete(take_one({.limit = 1}).token), Verdict::done);
  }
  for (const LaneCounts& lane : lanes()) EXPECT_GT(lane.claimed, 0) << "shard " << lane.shard;
  drain({.limit = 7});

  for (const LaneCounts& lane : lanes()) {
    EXPECT_EQ(lane.claimed, kEach) << "shard " << lane.shard;
    EXPECT_EQ(lane.waiting, 0) << "shard " << lane.shard;
  }
}

TEST_P(QueueShardContract, LoweringEnqueueShardsDrainsExistingRows) {
  queue().set_shards("q", 4);
  std::set<JobId> ids;
  for (int shard = 0; shard < 4; ++shard) {
    for (const JobId id : enqueue_batch(10, keyed_job(key_of_shard(shard, 4)))) ids.insert(id);
  }

  queue().set_shards("q", 2);

  const std::vector<JobId> handled = drain({.limit = 3});
  EXPECT_EQ(std::set<JobId>(handled.begin(), handled.end()), ids);
  EXPECT_THAT(handled, SizeIs(40));
}

TEST_P(QueueShardContract, AnOrderingKeyStaysOnItsShard) {
  queue().set_shards("q", 8);
  const std::string key = "customer-42";
  std::vector<JobId> ids;
  for (int call = 0; call < 10; ++call) {
    enqueue_batch(3);  // Keyless ones move the rotor on.
    ids.push_back(enqueue(keyed_job(key)));
  }

  std::vector<JobId> seen;
  for (const JobId id : ids) EXPECT_EQ(info(id).shard, work::shard_of(key, 8));
  for (const Work& work : take_all()) {
    if (work.job->job.key == key) seen.push_back(work.job->id);
  }
  EXPECT_THAT(seen, ElementsAreArray(ids));
}

TEST_P(QueueShardContract, KeysAreRoutedByTheOneHash) {
  for (const int width : {1, 2, 3, 5, 8, 17, 64}) {
    const std::string name = "w" + std::to_string(width);
    queue().set_shards(name, width);
    for (const std::string key : {"a", "order-42", "octo-org/octo-repo", "日本", "customer-43"}) {
      const JobId id = enqueue({.queue = name, .kind = "k", .key = key});
      EXPECT_EQ(info(id).shard, work::shard_of(key, width)) << key << " of " << width;
    }
  }
}

TEST_P(QueueShardContract, KeylessJobsOfACallShareAShard) {
  queue().set_shards("q", 8);
  for (int call = 0; call < 10; ++call) {
    std::set<int> shards;
    for (const JobId id : enqueue_batch(5)) shards.insert(info(id).shard.value());
    EXPECT_THAT(shards, SizeIs(1));
  }
}

TEST_P(QueueShardContract, KeylessCallsSpreadOverTheShards) {
  queue().set_shards("q", 4);
  enqueue_each(64);

  ASSERT_THAT(lanes(), SizeIs(4));
  for (const LaneCounts& lane : lanes()) EXPECT_GT(lane.waiting, 0) << "shard " << lane.shard;
}

// A rotor of all queues together would give each of two that take turns half of its shards.
TEST_P(QueueShardContract, CallsThatAlternateBetweenQueuesReachAllShards) {
  queue().set_shards("a", 2);
  queue().set_shards("b", 2);
  for (int call = 0; call < 16; ++call) {
    enqueue({.queue = "a", .kind = "k"});
    enqueue({.queue = "b", .kind = "k"});
  }

  EXPECT_THAT(lanes("a"), SizeIs(2));
  EXPECT_THAT(lanes("b"), SizeIs(2));
}

TEST_P(QueueShardContract, KeyedJobsOfABatchGoToTheirShardsInOrder) {
  queue().set_shards("q", 4);
  std::vector<NewJob> jobs;
  std::map<std::string, std::vector<JobId>> expected;
  for (int i = 0; i < 40; ++i) jobs.push_back(keyed_job("key-" + std::to_string(i % 7)));
  const std::vector<Enqueued> answers = queue().enqueue(jobs, nullptr);
  for (std::size_t i = 0; i < jobs.size(); ++i) expected[*jobs[i].key].push_back(answers[i].id);

  std::map<std::string, std::vector<JobId>> seen;
  for (const Work& work : take_all({.limit = 3})) seen[*work.job->job.key].push_back(work.job->id);

  EXPECT_EQ(seen, expected);
}

TEST_P(QueueShardContract, OrderIsStrictWithinEachShard) {
  queue().set_shards("q", 4);
  std::map<int, std::vector<JobId>> expected;
  for (int call = 0; call < 30; ++call) {
    for (const JobId id : enqueue_batch(3)) expected[info(id).shard.value()].push_back(id);
  }
  std::map<JobId, int> shard_of;
  for (const auto& [shard, ids] : expected) {
    for (const JobId id : ids) shard_of[id] = shard;
  }

  std::map<int, std::vector<JobId>> seen;
  for (const JobId id : drain({.limit = 4})) seen[shard_of.at(id)].push_back(id);

  EXPECT_EQ(seen, expected);
}

TEST_P(QueueShardContract, NewJobsGoNowhereBeyondALoweredWidth) {
  queue().set_shards("q", 8);
  enqueue_each(32);
  drain();
  queue().set_shards("q", 2);

  enqueue_each(16);
  for (int i = 0; i < 16; ++i) enqueue(keyed_job("key-" + std::to_string(i)));

  for (const LaneCounts& lane : lanes()) {
    EXPECT_TRUE(lane.shard < 2 || lane.waiting == 0) << "shard " << lane.shard;
  }
}

TEST_P(QueueShardContract, APromotedJobUsesThePresentWidth) {
  queue().set_shards("q", 8);
  const std::string key = key_of_shard(7, 8);
  NewJob later = keyed_job(key);
  later.run_at = now() + 1s;
  const JobId keyed = enqueue(later);
  std::vector<JobId> keyless;
  for (int i = 0; i < 16; ++i) {
    keyless.push_back(enqueue({.queue = "q", .kind = "k", .run_at = now() + 1s}));
  }
  queue().set_shards("q", 3);
  advance(1s);
  maintain();

  EXPECT_EQ(info(keyed).shard, work::shard_of(key, 3));
  for (const JobId id : keyless) EXPECT_LT(info(id).shard.value(), 3);
}

TEST_P(QueueShardContract, RaisingTheWidthLosesNothing) {
  const std::vector<JobId> before = enqueue_each(10);
  queue().set_shards("q", 16);
  const std::vector<JobId> after = enqueue_each(40);

  std::set<JobId> ids(before.begin(), before.end());
  ids.insert(after.begin(), after.end());
  const std::vector<JobId> handled = drain({.limit = 3});
  EXPECT_EQ(std::set<JobId>(handled.begin(), handled.end()), ids);
  EXPECT_GT(lanes().size(), 8U);
}

TEST_P(QueueShardContract, AtOneShardAKeyChangesNothing) {
  std::vector<JobId> ids;
  for (int i = 0; i < 10; ++i) {
    ids.push_back(enqueue(keyed_job("key-" + std::to_string(i))));
    ids.push_back(enqueue(job()));
  }

  EXPECT_THAT(lanes(), SizeIs(1));
  EXPECT_THAT(drain({.limit = 3}), ElementsAreArray(ids));
}

TEST_P(QueueShardContract, ALaneWithoutJobsIsStillThere) {
  queue().set_shards("q", 4);
  enqueue(keyed_job(key_of_shard(3, 4)));
  drain();

  EXPECT_EQ(lane(3).waiting, 0);
  EXPECT_EQ(lane(3).completed, 1);
  EXPECT_THAT(take(), IsEmpty());
}

}  // namespace penstock::contract

// How the queue in memory watches its workers, by a stopwatch that the tests move.
#include <algorithm>

#include "store/memory/queue/fixture.hpp"

namespace penstock {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace {

class MemoryMaintenanceTest : public MemoryQueueTest {
 protected:
  explicit MemoryMaintenanceTest(MemoryStoreOptions options = {}) : MemoryQueueTest(options) {}

  Maintained step() { return maintenance_->step(); }
  /// Looks at the workers every 5 seconds, as their maintainer does in life.
  Maintained watch_for(std::chrono::seconds span) {
    Maintained all;
    for (std::chrono::seconds passed{0}; passed < span; passed += 5s) {
      advance(5s);
      const Maintained one = step();
      all.rescued += one.rescued;
      all.buried += one.buried;
      all.purged += one.purged;
    }
    return all;
  }
  void advance(Duration by) { stopwatch_ += by; }
  Token claim_one(const char* worker, SuspectPolicy suspects = SuspectPolicy::leave) {
    return claim(worker, suspects).work.at(0).token;
  }

 private:
  std::chrono::steady_clock::time_point stopwatch_{};
  std::unique_ptr<QueueMaintenance> maintenance_ =
      queue().maintenance({.stopwatch = [this] { return stopwatch_; }});
};

class MemoryHistoryTest : public MemoryMaintenanceTest {
 protected:
  MemoryHistoryTest() : MemoryMaintenanceTest({.retain_completed = true}) {}
};

}  // namespace

TEST_F(MemoryMaintenanceTest, GivesUpAWorkerWhoseBeatStandsStill) {
  const JobId id = enqueue({.queue = "mail", .kind = "k"}).id;
  const Token token = claim_one("worker-a");
  step();

  EXPECT_EQ(watch_for(25s).rescued, 0);
  EXPECT_EQ(watch_for(5s).rescued, 1);

  EXPECT_THAT(source().complete({&token, 1}, nullptr), ElementsAre(Verdict::lost));
  EXPECT_EQ(show(id).attempts, 1);
  EXPECT_TRUE(show(id).suspect);
  EXPECT_EQ(show(id).last_error, "worker lost: its heartbeat stopped while the job was in flight");
}

TEST_F(MemoryMaintenanceTest, KeepsAnIdleWorkerThatBeats) {
  claim("worker-a");
  step();

  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(source().extend({}, 30s), IsEmpty());
    watch_for(5s);
  }

  EXPECT_TRUE(queue().statistics(Counting::exact).workers.at(0).alive);
}

// The whole process was stopped, its workers with it.
TEST_F(MemoryMaintenanceTest, GivesNobodyUpAfterAGapBetweenItsOwnLooks) {
  enqueue({.queue = "mail", .kind = "k"});
  claim_one("worker-a");
  step();
  advance(10min);

  EXPECT_EQ(step().rescued, 0);
  EXPECT_EQ(watch_for(25s).rescued, 0);
  EXPECT_EQ(watch_for(5s).rescued, 1);
}

TEST_F(MemoryMaintenanceTest, LetsAWorkerThatWasGivenUpBeginAnew) {
  enqueue({.queue = "mail", .kind = "k"});
  claim_one("worker-a");
  step();
  ASSERT_EQ(watch_for(30s).rescued, 1);
  EXPECT_FALSE(queue().statistics(Counting::exact).workers.at(0).alive);

  const Token token = claim_one("worker-a", SuspectPolicy::take_alone);

  EXPECT_TRUE(queue().statistics(Counting::exact).workers.at(0).alive);
  EXPECT_THAT(source().complete({&token, 1}, nullptr), ElementsAre(Verdict::done));
}

TEST_F(MemoryMaintenanceTest, BuriesASuspectWhoseWorkerDiedWithItsLastAttempt) {
  const JobId id = enqueue({.queue = "mail", .kind = "poison", .max_attempts = 2}).id;
  claim_one("worker-a");
  step();
  ASSERT_EQ(watch_for(30s).buried, 0);
  claim_one("worker-b", SuspectPolicy::take_alone);
  step();

  EXPECT_EQ(watch_for(30s).buried, 1);

  EXPECT_EQ(show(id).state, JobState::dead);
  EXPECT_EQ(show(id).attempts, 2);
}

TEST_F(MemoryMaintenanceTest, ForgetsAWorkerThatWasGivenUpLongAgo) {
  claim("worker-a");
  step();
  watch_for(30s);
  ASSERT_THAT(queue().statistics(Counting::exact).workers, SizeIs(1));

  clock().advance(2h);
  watch_for(60s);

  EXPECT_THAT(queue().statistics(Counting::exact).workers, IsEmpty());
}

TEST_F(MemoryMaintenanceTest, WantsToBeCalledWhenTheNextJobIsDue) {
  enqueue({.queue = "mail", .kind = "soon", .run_at = clock().now() + 20ms});

  EXPECT_EQ(step().again_in, Duration{20ms});
}

TEST_F(MemoryMaintenanceTest, LooksForExpiredJobsOnceAMinute) {
  const Token token = [&] {
    enqueue({.queue = "mail", .kind = "k"});
    return claim_one("worker-a");
  }();
  ASSERT_THAT(source().bury(std::vector{Bury{.token = token, .reason = "no"}}),
              ElementsAre(Verdict::done));
  step();
  clock().advance(std::chrono::days{31});

  EXPECT_EQ(watch_for(55s).purged, 0);
  EXPECT_EQ(watch_for(5s).purged, 1);
}

TEST_F(MemoryHistoryTest, PurgesHistoryTogetherWithTheKeysItHolds) {
  NewJob job{.queue = "mail", .kind = "k", .unique_key = "u"};
  job.unique_states =
      JobStates::from_bits(kWhileAlive.bits() | JobStates{JobState::completed}.bits());
  const JobId id = enqueue(job).id;
  const Token token = claim_one("worker-a");
  ASSERT_THAT(source().complete({&token, 1}, nullptr), ElementsAre(Verdict::done));
  EXPECT_EQ(enqueue(job), (Enqueued{.id = id, .created = false}));

  clock().advance(std::chrono::days{8});
  EXPECT_EQ(step().purged, 1);

  EXPECT_FALSE(queue().show(id));
  EXPECT_TRUE(enqueue(job).created);
}

}  // namespace penstock

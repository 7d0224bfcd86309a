// What is peculiar to the queue in memory: its log of enqueued jobs, and that nobody has to
// maintain it for jobs to become due.
#include "store/memory/queue/fixture.hpp"

namespace penstock {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(MemoryQueueTest, TellsWhatWasEnqueuedWhateverBecameOfIt) {
  enqueue({.queue = "mail", .kind = "first", .payload = "1"});
  enqueue({.queue = "mail", .kind = "second", .run_at = clock().now() + 1h});
  const std::vector<Work> work = claim().work;
  ASSERT_THAT(work, SizeIs(1));
  ASSERT_THAT(source().complete({&work[0].token, 1}, nullptr), ElementsAre(Verdict::done));

  const std::vector<NewJob> jobs = store().enqueued();

  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_EQ(jobs[0].kind, "first");
  EXPECT_EQ(jobs[0].payload, "1");
  EXPECT_EQ(jobs[0].run_at, std::nullopt);
  EXPECT_EQ(jobs[1].run_at, clock().now() + 1h);
}

TEST_F(MemoryQueueTest, DoesNotTellOfAJobWhoseKeyAnotherHolds) {
  enqueue({.queue = "mail", .kind = "first", .unique_key = "u"});
  enqueue({.queue = "mail", .kind = "second", .unique_key = "u"});

  EXPECT_THAT(store().enqueued(), SizeIs(1));
}

TEST_F(MemoryQueueTest, ClaimsWhatIsDueThoughNobodyMaintainsIt) {
  enqueue({.queue = "mail", .kind = "later", .run_at = clock().now() + 1min});
  EXPECT_THAT(claim().work, IsEmpty());
  EXPECT_EQ(claim().next_due_in, Duration{1min});

  clock().advance(1min);

  EXPECT_THAT(kinds_of(claim().work), ElementsAre("later"));
}

TEST_F(MemoryQueueTest, AnswersZeroAsNextDueWhereTheBoundOnBytesLeftSomething) {
  const auto narrow = queue().source({.batch_bytes = 10});
  for (int i = 0; i < 3; ++i) enqueue({.queue = "mail", .kind = "k", .payload = "123456"});

  const Claimed claimed = claim_from(*narrow, "worker-a");

  EXPECT_THAT(claimed.work, SizeIs(1));
  EXPECT_EQ(claimed.next_due_in, Duration::zero());
}

TEST_F(MemoryQueueTest, AgesAJobThatHasWaitedSinceTheBeginningOfTime) {
  enqueue({.queue = "mail", .kind = "recent", .priority = 1});
  enqueue({.queue = "mail", .kind = "ancient", .priority = 4, .run_at = Timestamp::min()});

  EXPECT_THAT(kinds_of(claim().work), ElementsAre("ancient", "recent"));
}

TEST_F(MemoryQueueTest, NeverRunsAJobThatIsDueAtTheEndOfTime) {
  enqueue({.queue = "mail", .kind = "never", .run_at = Timestamp::max()});

  const Claimed claimed = claim();

  EXPECT_THAT(claimed.work, IsEmpty());
  EXPECT_GT(claimed.next_due_in, Duration{24h});
}

TEST_F(MemoryQueueTest, SharesTheJobBetweenTheStoreAndWhoRunsIt) {
  const JobId id = enqueue({.queue = "mail", .kind = "k", .payload = std::string(1'000, 'x')}).id;
  const std::vector<Work> work = claim().work;

  ASSERT_THAT(work, SizeIs(1));
  EXPECT_EQ(work[0].job, show(id).job);
}

// A handler keeps reading its job while the store changes it.
TEST_F(MemoryQueueTest, DoesNotChangeAJobUnderWhoRunsIt) {
  const JobId id = enqueue({.queue = "mail", .kind = "k"}).id;
  const std::vector<Work> work = claim().work;
  ASSERT_THAT(work, SizeIs(1));

  ASSERT_EQ(source().save_progress(work[0].token, "1"), Verdict::done);

  EXPECT_EQ(work[0].job->progress, "");
  EXPECT_EQ(show(id).job->progress, "1");
}

TEST_F(MemoryQueueTest, GivesNothingBackOfTheHeirWhereAnInheritanceIsRepeated) {
  const WorkerId former{"worker-a"};
  const WorkerId heir{"worker-b"};
  enqueue({.queue = "mail", .kind = "k"});
  const std::vector<Work> lost = claim("worker-a").work;
  ASSERT_THAT(lost, SizeIs(1));
  source().inherit(former, heir, {});
  const std::vector<Work> work = claim("worker-b").work;
  ASSERT_THAT(work, SizeIs(1));

  source().inherit(former, heir, {});

  EXPECT_THAT(source().complete(std::vector{lost[0].token, work[0].token}, nullptr),
              ElementsAre(Verdict::lost, Verdict::done));
}

TEST_F(MemoryQueueTest, GoesOnWithoutAKeyThatAnotherTookWhileItRan) {
  NewJob job{.queue = "mail", .kind = "first", .unique_key = "u"};
  job.unique_states = {JobState::scheduled, JobState::ready, JobState::retrying};
  enqueue(job);
  const std::vector<Work> work = claim().work;
  ASSERT_THAT(work, SizeIs(1));
  job.kind = "second";
  const Enqueued second = enqueue(job);
  EXPECT_TRUE(second.created);

  EXPECT_THAT(source().release(std::vector{work[0].token}), ElementsAre(Verdict::done));

  EXPECT_EQ(enqueue(job), (Enqueued{.id = second.id, .created = false}));
  EXPECT_THAT(kinds_of(claim().work), ElementsAre("second", "first"));
}

}  // namespace penstock

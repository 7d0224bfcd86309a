// Where a dispatcher gets jobs: lost answers, damaged rows, beats, and claims of several processes.
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "penstock/error.hpp"
#include "store/postgres/queue/queue_fixture.hpp"
#include "support/stalling_proxy.hpp"

namespace penstock::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PostgresSourceTest : public PostgresQueueTest {
 protected:
  /// A store behind a network that fails, whose next claim knows its numbers beforehand.
  void SetUp() override {
    PostgresQueueTest::SetUp();
    ASSERT_THAT(claim_from(*far_source_, "q").work, IsEmpty());
  }
  [[nodiscard]] std::optional<ErrorKind> claim_far() {
    try {
      (void)claim_from(*far_source_, "q");
      return std::nullopt;
    } catch (const Error& error) {
      return error.kind();
    }
  }

  [[nodiscard]] std::vector<JobId> dead_ids() {
    std::vector<JobId> ids;
    for (const JobInfo& job : queue().list({.state = JobState::dead}).items) ids.push_back(job.id);
    return ids;
  }

  StallingProxy proxy_{shared_server()};
  PostgresStore far_{{.connection = proxy_.url(), .schema = schema_.name()}};
  std::unique_ptr<JobSource> far_source_ = far_.queue().source({});
};

TEST_F(PostgresSourceTest, AClaimWhoseAnswerIsLostIsInDoubtAndGivenBackByInherit) {
  const JobId id = enqueue({.queue = "q", .kind = "k"});
  proxy_.lose_next_answer();

  ASSERT_EQ(claim_far(), ErrorKind::in_doubt);
  EXPECT_EQ(state_of(id), JobState::running);
  far_source_->inherit(WorkerId("w"), WorkerId("w"), {});
  maintain();

  const Claimed again = claim();
  ASSERT_THAT(again.work, SizeIs(1));
  EXPECT_EQ(again.work[0].attempts, 0);
}

// Without an inheritance, by what the next beat says.
TEST_F(PostgresSourceTest, AClaimWhoseAnswerIsLostIsGivenBackUnchargedAfterTheNextBeat) {
  enqueue({.queue = "q", .kind = "k"});
  proxy_.lose_next_answer();
  ASSERT_EQ(claim_far(), ErrorKind::in_doubt);

  ASSERT_THAT(claim_from(*far_source_, "q").work, IsEmpty());
  (void)far_source_->extend({}, std::chrono::seconds{30});
  maintain();

  const Claimed again = claim();
  ASSERT_THAT(again.work, SizeIs(1));
  EXPECT_EQ(again.work[0].attempts, 0);
  EXPECT_FALSE(again.work[0].suspect);
}

// What the process does hold is not below what it says.
TEST_F(PostgresSourceTest, ABeatKeepsWhatIsHeld) {
  for (int i = 0; i < 4; ++i) enqueue({.queue = "q", .kind = "k"});
  const Claimed first = claim(1);
  const Claimed second = claim(1);
  ASSERT_THAT(first.work, SizeIs(1));
  ASSERT_THAT(second.work, SizeIs(1));
  ASSERT_THAT(source_->complete(tokens_of(second.work), nullptr), Each(Verdict::done));

  (void)source_->extend({}, std::chrono::seconds{30});
  maintain();

  EXPECT_THAT(source_->complete(tokens_of(first.work), nullptr), Each(Verdict::done));
}

TEST_F(PostgresSourceTest, AJobThatCannotBeReadIsBuriedAndItsNeighboursRun) {
  const JobId damaged = enqueue({.queue = "q", .kind = "damaged"});
  const JobId healthy = enqueue({.queue = "q", .kind = "k"});
  user_.ask("update " + name("queue_ready") + " set headers = '[]' where kind = 'damaged'");

  const Claimed claimed = claim();

  ASSERT_THAT(claimed.work, SizeIs(1));
  EXPECT_EQ(claimed.work[0].job->id, healthy);
  EXPECT_THAT(dead_ids(), ElementsAre(damaged));
}

// Else they would be held by a process that does not know them, for as long as it lives.
TEST_F(PostgresSourceTest, NeighboursRunWhereADamagedJobCannotBeBuriedNow) {
  const JobId damaged = enqueue({.queue = "q", .kind = "damaged"});
  const JobId healthy = enqueue({.queue = "q", .kind = "k"});
  user_.ask("update " + name("queue_ready") + " set headers = '[]' where kind = 'damaged'");
  user_.ask("alter function " + name("queue_finish") + " rename to hidden_finish");

  const Claimed claimed = claim();

  ASSERT_THAT(claimed.work, SizeIs(1));
  EXPECT_EQ(claimed.work[0].job->id, healthy);
  user_.ask("alter function " + name("hidden_finish") + " rename to queue_finish");
  ASSERT_THAT(source_->complete(tokens_of(claimed.work), nullptr), Each(Verdict::done));
  ASSERT_THAT(claim().work, IsEmpty());
  (void)source_->extend({}, std::chrono::seconds{30});
  maintain();
  EXPECT_THAT(claim().work, IsEmpty());
  EXPECT_THAT(dead_ids(), ElementsAre(damaged));
}

TEST_F(PostgresSourceTest, AClaimAfterALongSilenceBeatsFirst) {
  enqueue({.queue = "q", .kind = "k"});
  ASSERT_THAT(claim().work, SizeIs(1));
  const std::string beats = "select sum(beat) from " + name("queue_workers");
  const std::string before = user_.ask(beats);

  (void)claim_from(*source_, "q", 1, std::chrono::microseconds{1});

  EXPECT_NE(user_.ask(beats), before);
}

// The rescuer gives the worker up while the answer to its claim is under way.
TEST_F(PostgresSourceTest, ALateAnswerToAClaimOfAWorkerThatWasGivenUpBeginsNothing) {
  const JobId id = enqueue({.queue = "q", .kind = "k"});
  user_.ask("create function " + name("give_up") +
            "() returns trigger language plpgsql as $$ begin update " + name("queue_workers") +
            " set dead = true; return null; end $$");
  user_.ask("create constraint trigger give_up after insert on " + name("queue_claims_0") +
            " deferrable initially deferred for each row execute function " + name("give_up") +
            "()");

  EXPECT_THAT(claim_from(*source_, "q", 1, std::chrono::microseconds{1}).work, IsEmpty());

  maintain();
  EXPECT_EQ(state_of(id), JobState::ready);
}

TEST_F(PostgresSourceTest, AWorkerThatWasGivenUpComesBackUnderAnotherNumber) {
  const JobId id = enqueue({.queue = "q", .kind = "k"});
  const Claimed lost = claim();
  ASSERT_THAT(lost.work, SizeIs(1));
  user_.ask("update " + name("queue_workers") + " set dead = true");
  maintain();

  EXPECT_THAT(source_->extend(tokens_of(lost.work), std::chrono::seconds{30}),
              ElementsAre(Verdict::lost));
  const Claimed again = claim();
  ASSERT_THAT(again.work, IsEmpty()) << "a suspect runs alone, and this was no such claim";
  const WorkerId worker("w");
  const HandlerRoom room{.handler = "q", .room = 1};
  const Claimed alone = source_->claim(
      {.worker = worker, .handlers = {&room, 1}, .suspects = SuspectPolicy::take_alone});
  ASSERT_THAT(alone.work, SizeIs(1));
  EXPECT_EQ(alone.work[0].job->id, id);
  EXPECT_NE(alone.work[0].token.fence[2], lost.work[0].token.fence[2]);
  EXPECT_THAT(source_->complete(tokens_of(lost.work), nullptr), ElementsAre(Verdict::lost));
}

/// The isolation that everybody gets who does not say which he wants.
class PostgresIsolationTest : public testing::Test {
 protected:
  /// Four processes claim what two produce, each job once.
  void run_all(const std::string& url) {
    constexpr int kJobs = 3'000;
    PostgresStore setup{{.connection = url, .schema = schema_.name()}};
    setup.queue().setup(SetupMode::migrate);
    setup.queue().set_shards("q", 3);
    std::atomic<int> left = kJobs;
    std::mutex mutex;
    std::multiset<JobId> done;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 2; ++thread) {
      threads.emplace_back([&] {
        PostgresStore store{{.connection = url, .schema = schema_.name()}};
        for (int i = 0; i < kJobs / 2; i += 20) {
          const std::vector<NewJob> jobs(20, NewJob{.queue = "q", .kind = "k"});
          (void)store.queue().enqueue(jobs, nullptr);
        }
      });
    }
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        PostgresStore store{{.connection = url, .schema = schema_.name()}};
        const auto source = store.queue().source({});
        while (left > 0) {
          const Claimed claimed = claim_from(*source, "q", 30);
          const auto verdicts = source->complete(tokens_of(claimed.work), nullptr);
          const std::scoped_lock lock(mutex);
          for (std::size_t i = 0; i < verdicts.size(); ++i) {
            if (verdicts[i] == Verdict::done) done.insert(claimed.work[i].job->id);
          }
          left -= static_cast<int>(claimed.work.size());
        }
      });
    }
    threads.clear();

    EXPECT_THAT(done, SizeIs(kJobs));
    EXPECT_THAT(std::set<JobId>(done.begin(), done.end()), SizeIs(kJobs));
    EXPECT_EQ(schema_.ask("show default_transaction_isolation"), "repeatable read");
  }

  const PostgresServer server_{{"default_transaction_isolation=repeatable read"}};
  const TestSchema schema_{server_.folder()};
};

TEST_F(PostgresIsolationTest, ADefaultOfRepeatableReadHandsNothingOutTwice) {
  run_all(schema_.url());
}

TEST_F(PostgresIsolationTest, NorThroughAPooler) {
  const PgBouncer bouncer(server_.folder());
  run_all(bouncer.url());
}

}  // namespace
}  // namespace penstock::test

// History: completed and cancelled jobs are kept and listed only where the store was asked to.
#include <algorithm>

#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(QueueHistoryContract, IsEmptyUnlessItWasAskedFor) {
  const JobId id = enqueue(job());
  EXPECT_EQ(complete(take_one().token), Verdict::done);
  EXPECT_EQ(cancel(enqueue(job())), Verdict::done);

  EXPECT_THAT(list(JobState::completed), IsEmpty());
  EXPECT_THAT(list(JobState::cancelled), IsEmpty());
  EXPECT_FALSE(show(id));
}

TEST_P(QueueHistoryContract, ListsWhatWasCompletedAndWhen) {
  start({.completion_history = true});
  const Timestamp created = now();
  const JobId id = enqueue({.queue = "q", .kind = "receipt", .priority = 3, .key = "order-42"});
  EXPECT_EQ(retry(take_one().token, 0s, "boom"), Verdict::done);
  maintain();
  advance(1min);
  EXPECT_EQ(complete(take_one().token), Verdict::done);

  const std::vector<JobInfo> items = list(JobState::completed);

  ASSERT_THAT(items, SizeIs(1));
  EXPECT_EQ(items[0].id, id);
  EXPECT_EQ(items[0].queue, "q");
  EXPECT_EQ(items[0].kind, "receipt");
  EXPECT_EQ(items[0].state, JobState::completed);
  EXPECT_EQ(items[0].priority, 3);
  EXPECT_EQ(items[0].key, "order-42");
  EXPECT_EQ(items[0].attempts, 1);
  EXPECT_EQ(items[0].created_at, created);
  EXPECT_EQ(items[0].at, now());
  EXPECT_EQ(items[0].last_error, "boom");
}

TEST_P(QueueHistoryContract, ListsWhatWasCancelled) {
  start({.completion_history = true});
  const JobId waiting = enqueue(job());
  EXPECT_EQ(cancel(waiting), Verdict::done);
  const JobId running = enqueue(job());
  (void)take_one();
  EXPECT_EQ(cancel(running), Verdict::done);
  const JobId scheduled = enqueue({.queue = "q", .kind = "k", .run_at = now() + 1h});
  EXPECT_EQ(cancel(scheduled), Verdict::done);

  EXPECT_THAT(jobs_of(list(JobState::cancelled)), ElementsAre(waiting, running, scheduled));
  EXPECT_THAT(list(JobState::completed), IsEmpty());
  EXPECT_EQ(state_of(running), JobState::cancelled);
}

TEST_P(QueueHistoryContract, ShowsWhatEnded) {
  start({.completion_history = true});
  const JobId id = enqueue(job());
  EXPECT_EQ(complete(take_one().token), Verdict::done);

  EXPECT_EQ(state_of(id), JobState::completed);
  EXPECT_EQ(info(id).at, now());
}

TEST_P(QueueHistoryContract, HoldsEveryJobOnce) {
  start({.completion_history = true});
  std::vector<JobId> ids = enqueue_batch(300);
  drain({.limit = 100});

  EXPECT_THAT(jobs_of(find({.state = JobState::completed, .limit = 37})),
              ::testing::ElementsAreArray(ids));
}

TEST_P(QueueHistoryContract, IsNotTouchedByOperatorsNorClaimed) {
  start({.completion_history = true});
  const JobId id = enqueue(job());
  EXPECT_EQ(complete(take_one().token), Verdict::done);

  EXPECT_EQ(cancel(id), Verdict::lost);
  EXPECT_EQ(bury_job(id), Verdict::lost);
  EXPECT_EQ(move(id, {.queue = "other"}), Verdict::lost);
  EXPECT_THAT(requeue_all(), IsEmpty());
  EXPECT_EQ(queue().purge_dead({.all = true}, 10), 0);
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(state_of(id), JobState::completed);
}

TEST_P(QueueHistoryContract, IsPurgedAfterItsRetention) {
  start({.completion_history = true});
  enqueue(job());
  EXPECT_EQ(complete(take_one().token), Verdict::done);
  EXPECT_EQ(cancel(enqueue(job())), Verdict::done);
  advance(std::chrono::days{7} - 1s);
  EXPECT_EQ(maintain().purged, 0);

  advance(2s);

  EXPECT_EQ(maintain().purged, 2);
  EXPECT_THAT(list(JobState::completed), IsEmpty());
  EXPECT_THAT(list(JobState::cancelled), IsEmpty());
}

TEST_P(QueueHistoryContract, ItsRetentionCanBeChosen) {
  start({.completion_history = true});
  enqueue(job());
  EXPECT_EQ(complete(take_one().token), Verdict::done);
  advance(61s);

  const auto strict = maintenance({.retention = {.completed = 1min}});

  EXPECT_EQ(strict->step_all().purged, 1);
}

TEST_P(QueueMaintenanceContract, HasNothingToDoForAnEmptyStore) {
  const Maintained did = maintain();

  EXPECT_EQ(did.promoted, 0);
  EXPECT_EQ(did.rescued, 0);
  EXPECT_EQ(did.buried, 0);
  EXPECT_EQ(did.purged, 0);
}

TEST_P(QueueMaintenanceContract, AsksForAPauseWhereNothingIsToDo) {
  const auto patient = maintenance();
  (void)patient->step();

  EXPECT_GT(patient->step().again_in, 0s);
}

TEST_P(QueueMaintenanceContract, ASecondTimeThereIsNothingLeft) {
  for (int i = 0; i < 10; ++i) enqueue({.queue = "q", .kind = "k", .run_at = now() + 1s});
  advance(2s);
  EXPECT_EQ(maintain().promoted, 10);

  const Maintained again = maintain();

  EXPECT_EQ(again.promoted, 0);
  EXPECT_EQ(again.rescued, 0);
  EXPECT_EQ(again.purged, 0);
}

TEST_P(QueueMaintenanceContract, MayBeDoneByAnyNumber) {
  enqueue_batch(200, {.queue = "q", .kind = "k", .run_at = now() + 1s});
  advance(2s);
  std::array<std::int64_t, 4> promoted{};
  std::vector<std::unique_ptr<QueueMaintenance>> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(maintenance({.worker = WorkerId{"caretaker-" + std::to_string(i)}}));
  }

  at_once(4, [&](int i) {
    const auto n = static_cast<std::size_t>(i);
    promoted[n] = all[n]->step_all().promoted;
  });

  EXPECT_EQ(promoted[0] + promoted[1] + promoted[2] + promoted[3], 200);
  EXPECT_THAT(drain(), SizeIs(200));
}

TEST_P(QueueMaintenanceContract, OfTwoOneRescues) {
  const JobId id = enqueue(job());
  (void)take();
  const auto one = maintenance({.worker = WorkerId{"caretaker-1"}});
  const auto two = maintenance({.worker = WorkerId{"caretaker-2"}});
  std::int64_t rescued = 0;
  for (int i = 0; i < 16; ++i) {
    rescued += one->step_all().rescued + two->step_all().rescued;
    advance(5s);
    move_stopwatch(5s);
  }

  EXPECT_EQ(rescued, 1);
  EXPECT_EQ(info(id).attempts, 1);
}

TEST_P(QueueMaintenanceContract, DeadJobsAreKeptForAMonth) {
  const JobId id = enqueue_dead();
  advance(std::chrono::days{30} - 1s);
  EXPECT_EQ(maintain().purged, 0);
  EXPECT_EQ(state_of(id), JobState::dead);

  advance(2s);

  EXPECT_EQ(maintain().purged, 1);
  EXPECT_FALSE(show(id));
}

TEST_P(QueueMaintenanceContract, NothingThatLivesIsTooOld) {
  const JobId ready = enqueue(job());
  const JobId later =
      enqueue({.queue = "q", .kind = "k", .run_at = now() + std::chrono::days{365}});
  advance(std::chrono::days{364});
  for (int i = 0; i < 3; ++i) maintain();

  EXPECT_EQ(state_of(ready), JobState::ready);
  EXPECT_EQ(state_of(later), JobState::scheduled);
}

TEST_P(QueueMaintenanceContract, AStepComesToTheSame) {
  enqueue({.queue = "q", .kind = "k", .run_at = now() + 1s});
  const auto patient = maintenance();
  std::int64_t promoted = 0;
  for (int i = 0; i < 5; ++i) {
    const Maintained did = patient->step();
    EXPECT_GE(did.again_in, 0s);
    promoted += did.promoted;
    advance(1s);
    move_stopwatch(1s);
  }

  EXPECT_EQ(promoted, 1);
}

// What runs and what waits lives through any number of turns of the segments.
TEST_P(QueueMaintenanceContract, LosesNothingInManyTurns) {
  const JobId running = enqueue({.queue = "slow", .kind = "k"});
  const Token token = take_one({.queues = {"slow"}}).token;
  queue().set_paused("paused", true);
  const JobId paused = enqueue({.queue = "paused", .kind = "k", .payload = "p"});
  const JobId later = enqueue({.queue = "q", .kind = "k", .run_at = now() + 1h});
  std::vector<JobId> handled;
  std::vector<JobId> enqueued;
  for (int turn = 0; turn < 12; ++turn) {
    for (const JobId id : enqueue_batch(5)) enqueued.push_back(id);
    pass(5s, {"worker-a"});
    for (const JobId id : drain()) handled.push_back(id);
    pass(5s, {"worker-a"});
  }

  EXPECT_EQ(handled, enqueued);
  EXPECT_EQ(state_of(running), JobState::running);
  EXPECT_EQ(stored(paused).job.payload, "p");
  EXPECT_EQ(state_of(later), JobState::scheduled);
  EXPECT_EQ(complete(token), Verdict::done);
  queue().set_paused("paused", false);
  EXPECT_EQ(drain({.queues = {"paused"}}), std::vector{paused});
}

}  // namespace penstock::contract

// Heartbeats: who lives, by the stopwatch of whoever looks; and what a process says of its claims.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::Each;
using ::testing::ElementsAre;

TEST_P(QueueHeartbeatContract, WhoBeatsLives) {
  enqueue(job());
  const Token token = take_one().token;

  EXPECT_EQ(pass(90s, {"worker-a"}).rescued, 0);

  EXPECT_TRUE(is_alive("worker-a"));
  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(QueueHeartbeatContract, ATokenIsASignOfLifeToo) {
  enqueue(job());
  const Token token = take_one().token;
  for (int i = 0; i < 20; ++i) {
    pass(5s);
    EXPECT_EQ(extend(token), Verdict::done);
  }

  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(QueueHeartbeatContract, WhoStandsStillIsGivenUp) {
  enqueue(job());
  (void)take();
  EXPECT_TRUE(is_alive("worker-a"));

  EXPECT_EQ(pass(kLease - 10s).rescued, 0) << "not before the lease is over";
  EXPECT_TRUE(is_alive("worker-a"));
  EXPECT_EQ(pass(20s).rescued, 1);

  EXPECT_FALSE(is_alive("worker-a"));
}

// Known faults 25 and 21: a clock that jumps kills nobody.
TEST_P(QueueHeartbeatContract, AClockThatJumpsKillsNobody) {
  enqueue(job());
  const Token token = take_one().token;
  maintain();
  advance(24h);
  EXPECT_EQ(maintain().rescued, 0);
  advance(24h);

  EXPECT_EQ(maintain().rescued, 0);

  EXPECT_EQ(complete(token), Verdict::done);
}

// While the database was away nobody could beat, and nobody looked.
TEST_P(QueueHeartbeatContract, AnOutageKillsNobody) {
  enqueue(job());
  const Token token = take_one().token;
  maintain();
  advance(1h);
  move_stopwatch(1h);

  EXPECT_EQ(maintain().rescued, 0);

  EXPECT_EQ(pass(1min, {"worker-a"}).rescued, 0);
  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(QueueHeartbeatContract, AfterAnOutageTheDeadAreFoundAllTheSame) {
  enqueue(job());
  (void)take();
  maintain();
  advance(1h);
  move_stopwatch(1h);

  EXPECT_EQ(pass(kLease + 10s).rescued, 1);
}

TEST_P(QueueHeartbeatContract, AStopwatchThatWasJustStartedKnowsNothing) {
  enqueue(job());
  const Token token = take_one().token;
  advance(1h);
  move_stopwatch(1h);

  EXPECT_EQ(maintenance()->step_all().rescued, 0);
  EXPECT_EQ(maintenance()->step_all().rescued, 0);

  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(QueueHeartbeatContract, WhoWasGivenUpCanBeginAgain) {
  const JobId id = enqueue(job());
  crash();
  enqueue({.queue = "other", .kind = "k"});
  beat("worker-a");  // By which it hears that it was given up.

  const Work work = take_one({.queues = {"other"}});

  EXPECT_EQ(complete(work.token), Verdict::done);
  EXPECT_TRUE(is_alive("worker-a"));
  EXPECT_EQ(drain(), std::vector{id});
}

TEST_P(QueueHeartbeatContract, WhoWasGivenUpHearsOfIt) {
  enqueue(job());
  const Work work = crash().at(0);

  EXPECT_EQ(extend(work.token), Verdict::lost);
}

TEST_P(QueueHeartbeatContract, AnswersForEachToken) {
  enqueue_batch(3);
  const std::vector<Work> work = take();
  EXPECT_EQ(complete(work[0].token), Verdict::done);
  EXPECT_EQ(cancel(work[2].job->id), Verdict::done);

  EXPECT_THAT(source("worker-a").extend(tokens_of(work), kLease),
              ElementsAre(Verdict::lost, Verdict::done, Verdict::lost));
}

TEST_P(QueueHeartbeatContract, AnIdleProcessIsListed) {
  (void)take();
  beat("worker-a");

  const std::vector<QueueWorker> workers = queue().statistics(Counting::exact).workers;

  ASSERT_EQ(workers.size(), 1U);
  EXPECT_EQ(workers[0].name, "worker-a");
  EXPECT_TRUE(workers[0].alive);
}

TEST_P(QueueHeartbeatContract, AnIdleProcessThatDiesIsGivenUpToo) {
  (void)take();
  beat("worker-a");
  EXPECT_TRUE(is_alive("worker-a"));

  EXPECT_EQ(pass(kLease + 10s).rescued, 0);

  EXPECT_FALSE(is_alive("worker-a"));
}

// Known fault 23: a process of the same name is another process.
TEST_P(QueueHeartbeatContract, NobodyInheritsByName) {
  enqueue(job());
  const auto dead = queue().source({});
  const HandlerRoom room{"q", 10};
  EXPECT_EQ(dead->claim({.worker = WorkerId{"same-name/1"}, .handlers = {&room, 1}}).work.size(),
            1U);

  const auto living = queue().source({});
  Maintained did;
  for (int i = 0; i < 8; ++i) {
    (void)living->claim({.worker = WorkerId{"same-name/2"}, .handlers = {&room, 1}});
    (void)living->extend({}, kLease);
    did.rescued += pass(5s).rescued;
  }

  EXPECT_EQ(did.rescued, 1);
}

TEST_P(QueueInheritContract, WhatRunsGoesOnUnderTheNewName) {
  enqueue_batch(3);
  const std::vector<Work> work = take();
  const Token running[] = {work[0].token, work[2].token};

  source("worker-a").inherit(WorkerId{"worker-a"}, WorkerId{"worker-a2"}, running);

  EXPECT_EQ(complete(work[0].token), Verdict::done);
  EXPECT_EQ(retry(work[2].token), Verdict::done);
}

TEST_P(QueueInheritContract, WhatDoesNotRunIsGivenBackUncharged) {
  enqueue_batch(3);
  const std::vector<Work> work = take();
  const Token running[] = {work[1].token};

  source("worker-a").inherit(WorkerId{"worker-a"}, WorkerId{"worker-a2"}, running);
  maintain();

  EXPECT_EQ(complete(work[0].token), Verdict::lost);
  std::vector<Work> again = take({.worker = "worker-b"});
  EXPECT_THAT(jobs_of(again), ElementsAre(work[0].job->id, work[2].job->id));
  for (const Work& one : again) {
    EXPECT_EQ(one.attempts, 0);
    EXPECT_FALSE(one.suspect);
  }
}

TEST_P(QueueInheritContract, RepeatingItDoesNoHarm) {
  enqueue_batch(2);
  const std::vector<Work> work = take();
  const Token running[] = {work[0].token};
  for (int i = 0; i < 3; ++i) {
    source("worker-a").inherit(WorkerId{"worker-a"}, WorkerId{"worker-a2"}, running);
    maintain();
  }

  EXPECT_EQ(complete(work[0].token), Verdict::done);
  EXPECT_THAT(jobs_of(take({.worker = "worker-b"})), ElementsAre(work[1].job->id));
}

TEST_P(QueueInheritContract, TheNewNameClaims) {
  const JobId id = enqueue(job());
  JobSource& source_a = source("worker-a");
  (void)take({.queues = {"other"}});
  source_a.inherit(WorkerId{"worker-a"}, WorkerId{"worker-a2"}, {});
  const HandlerRoom room{"q", 10};

  const Claimed claimed = source_a.claim({.worker = WorkerId{"worker-a2"}, .handlers = {&room, 1}});

  EXPECT_THAT(jobs_of(claimed.work), ElementsAre(id));
  EXPECT_THAT(source_a.complete(tokens_of(claimed.work), nullptr), Each(Verdict::done));
}

TEST_P(QueueInheritContract, LeavesTheClaimsOfOthers) {
  enqueue_batch(2);
  const Token mine = take_one({.worker = "worker-a", .limit = 1}).token;
  const Token other = take_one({.worker = "worker-b", .limit = 1}).token;

  source("worker-a").inherit(WorkerId{"worker-a"}, WorkerId{"worker-a2"}, {&mine, 1});

  EXPECT_EQ(complete(other), Verdict::done);
  EXPECT_EQ(complete(mine), Verdict::done);
}

TEST_P(QueueInheritContract, AProcessThatSaidGoodbyeLeavesNothingToRescue) {
  const std::vector<JobId> ids = enqueue_batch(3);
  const std::vector<Work> work = take();
  EXPECT_EQ(complete(work[0].token), Verdict::done);
  EXPECT_EQ(release(work[1].token), Verdict::done);
  EXPECT_EQ(release(work[2].token), Verdict::done);

  source("worker-a").relinquish(WorkerId{"worker-a"});

  EXPECT_EQ(pass(kLease + 10s).rescued, 0);
  EXPECT_FALSE(is_alive("worker-a"));
  const std::vector<Work> again = take({.worker = "worker-b"});
  EXPECT_THAT(jobs_of(again), ElementsAre(ids[1], ids[2]));
  EXPECT_EQ(again[0].attempts, 0);
}

TEST_P(QueueInheritContract, GoodbyeMayBeSaidTwiceAndByStrangers) {
  source("worker-a").relinquish(WorkerId{"worker-a"});
  (void)take();
  source("worker-a").relinquish(WorkerId{"worker-a"});
  source("worker-a").relinquish(WorkerId{"worker-a"});

  const JobId id = enqueue(job());
  EXPECT_EQ(drain(), std::vector{id}) << "and it can begin again";
}

}  // namespace penstock::contract

// reschedule: retry charges an attempt, snooze does not. bury and release: the other ends.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(QueueRescheduleContract, ARetryChargesAnAttempt) {
  const JobId id = enqueue(job());
  EXPECT_EQ(retry(take_one().token, 10s, "boom"), Verdict::done);

  EXPECT_EQ(state_of(id), JobState::retrying);
  EXPECT_EQ(info(id).attempts, 1);
  EXPECT_EQ(info(id).last_error, "boom");
  EXPECT_EQ(info(id).run_at, now() + 10s);
}

TEST_P(QueueRescheduleContract, ASnoozeDoesNot) {
  const JobId id = enqueue(job());
  EXPECT_EQ(snooze(take_one().token, 10s), Verdict::done);

  EXPECT_EQ(info(id).attempts, 0);
  EXPECT_EQ(info(id).last_error, "");
  EXPECT_EQ(info(id).run_at, now() + 10s);
  EXPECT_THAT(stored(id).errors, IsEmpty());
}

TEST_P(QueueRescheduleContract, ASnoozedJobIsScheduledUntilAnAttemptFailed) {
  const JobId id = enqueue(job());
  EXPECT_EQ(snooze(take_one().token, 10s), Verdict::done);
  EXPECT_EQ(state_of(id), JobState::scheduled);
  EXPECT_EQ(aside().scheduled, 1);
  advance(10s);
  maintain();
  EXPECT_EQ(retry(take_one().token, 0s), Verdict::done);
  maintain();
  EXPECT_EQ(snooze(take_one().token, 10s), Verdict::done);

  EXPECT_EQ(state_of(id), JobState::retrying);
  EXPECT_EQ(aside().retrying, 1);
}

TEST_P(QueueRescheduleContract, ComesBackWhenItIsDue) {
  const JobId id = enqueue(job());
  EXPECT_EQ(retry(take_one().token, 10s), Verdict::done);
  advance(10s - 1us);
  maintain();
  EXPECT_THAT(take(), IsEmpty());

  advance(1us);
  maintain();

  const Work work = take_one();
  EXPECT_EQ(work.job->id, id);
  EXPECT_EQ(work.attempts, 1);
}

TEST_P(QueueRescheduleContract, ADelayOfNothingIsDueAtOnce) {
  const JobId id = enqueue(job());
  EXPECT_EQ(retry(take_one().token, 0s), Verdict::done);
  maintain();

  EXPECT_EQ(take_one().job->id, id);
}

TEST_P(QueueRescheduleContract, KeepsTheWholeJob) {
  const NewJob given{.queue = "q",
                     .kind = "receipt",
                     .payload = std::string("\0x", 2),
                     .priority = 3,
                     .key = "order-42",
                     .max_attempts = 9,
                     .unique_key = "u",
                     .deadline = 5s,
                     .content_type = "text/plain",
                     .headers = {{"a", "b"}}};
  const JobId id = enqueue(given);
  const Timestamp created = now();
  advance(1s);
  EXPECT_EQ(retry(take_one().token, 1s), Verdict::done);
  advance(1s);
  maintain();

  const Work work = take_one();

  EXPECT_EQ(work.job->id, id);
  EXPECT_EQ(work.job->created_at, created);
  EXPECT_EQ(work.job->job.kind, given.kind);
  EXPECT_EQ(work.job->job.payload, given.payload);
  EXPECT_EQ(work.job->job.priority, given.priority);
  EXPECT_EQ(work.job->job.key, given.key);
  EXPECT_EQ(work.job->job.max_attempts, given.max_attempts);
  EXPECT_EQ(work.job->job.unique_key, given.unique_key);
  EXPECT_EQ(work.job->job.deadline, given.deadline);
  EXPECT_EQ(work.job->job.content_type, given.content_type);
  EXPECT_EQ(work.job->job.headers, given.headers);
}

TEST_P(QueueRescheduleContract, StandsBehindTheOthersThen) {
  const std::vector<JobId> ids = enqueue_batch(3);
  EXPECT_EQ(retry(take_one({.limit = 1}).token, 1s), Verdict::done);
  advance(1s);
  maintain();

  EXPECT_THAT(jobs_of(take()), ElementsAre(ids[1], ids[2], ids[0]));
}

// Known fault 67.
TEST_P(QueueRescheduleContract, ARetryDoesNotHoldUpItsKey) {
  const std::vector<JobId> ids = enqueue_batch(3, keyed_job("k"));
  EXPECT_EQ(retry(take_one({.limit = 1}).token, 1h), Verdict::done);

  EXPECT_THAT(jobs_of(take()), ElementsAre(ids[1], ids[2]));
}

TEST_P(QueueRescheduleContract, MixesChargesAndVerdictsInOneCall) {
  const std::vector<JobId> ids = enqueue_batch(3);
  const std::vector<Work> work = take();
  EXPECT_EQ(complete(work[1].token), Verdict::done);
  const Reschedule items[] = {
      {.token = work[0].token, .delay = 1s, .charge = Charge::charge, .error = "no"},
      {.token = work[1].token, .delay = 1s},
      {.token = work[2].token, .delay = 2s, .charge = Charge::keep},
      {.token = work[0].token, .delay = 3s}};

  EXPECT_THAT(source("worker-a").reschedule(items),
              ElementsAre(Verdict::done, Verdict::lost, Verdict::done, Verdict::lost));
  EXPECT_EQ(info(ids[0]).attempts, 1);
  EXPECT_EQ(info(ids[0]).run_at, now() + 1s);
  EXPECT_EQ(info(ids[2]).attempts, 0);
  EXPECT_EQ(info(ids[2]).run_at, now() + 2s);
}

TEST_P(QueueRescheduleContract, MayGoOnForLongerThanTheBudget) {
  // Who has spent how many attempts is the dispatcher's business, not the store's.
  const JobId id = enqueue({.queue = "q", .kind = "k", .max_attempts = 1});
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(retry(take_one().token, 0s), Verdict::done);
    maintain();
    EXPECT_EQ(info(id).attempts, attempt);
  }
}

// Known fault 57.
TEST_P(QueueRescheduleContract, LongDelaysAreOnlyNumbers) {
  enqueue(job());

  EXPECT_EQ(retry(take_one().token, std::chrono::days{365 * 100}), Verdict::done);
  EXPECT_EQ(maintain().promoted, 0);
}

TEST_P(QueueRescheduleContract, ASnoozeMayHaveAReason) {
  const JobId id = enqueue(job());
  const Reschedule item{
      .token = take_one().token, .delay = 1s, .charge = Charge::keep, .error = "no such kind"};

  EXPECT_THAT(source("worker-a").reschedule({&item, 1}), ElementsAre(Verdict::done));

  EXPECT_EQ(info(id).last_error, "no such kind");
  EXPECT_EQ(info(id).attempts, 0);
}

TEST_P(QueueBuryContract, EndsInTheDeadLetters) {
  const JobId id = enqueue(job());
  EXPECT_EQ(bury(take_one().token, "hopeless"), Verdict::done);
  maintain();

  EXPECT_EQ(state_of(id), JobState::dead);
  EXPECT_EQ(info(id).last_error, "hopeless");
  EXPECT_EQ(info(id).attempts, 1) << "the attempt that failed counts";
  EXPECT_EQ(info(id).at, now());
  EXPECT_EQ(info(id).shard, std::nullopt);
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(aside().dead, 1);
}

TEST_P(QueueBuryContract, KeepsTheWholeJob) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .payload = "body", .headers = {{"a", "b"}}});
  EXPECT_EQ(bury(take_one().token), Verdict::done);

  EXPECT_EQ(stored(id).job.payload, "body");
  EXPECT_EQ(stored(id).job.headers.at("a"), "b");
}

TEST_P(QueueBuryContract, CutsTheReasonAndMendsItsText) {
  const JobId id = enqueue(job());
  EXPECT_EQ(bury(take_one().token, std::string("a\0\xFF", 3) + std::string(20'000, 'x')),
            Verdict::done);

  const std::string error = info(id).last_error;

  EXPECT_LE(error.size(), limits::kErrorTextBytes);
  EXPECT_GT(error.size(), limits::kErrorTextBytes - 10);
  EXPECT_EQ(error.substr(0, 8), "a\xEF\xBF\xBD\xEF\xBF\xBDx");
}

TEST_P(QueueBuryContract, AnswersForEach) {
  enqueue_batch(2);
  const std::vector<Work> work = take();
  EXPECT_EQ(complete(work[0].token), Verdict::done);
  const Bury items[] = {{.token = work[0].token, .reason = "a"},
                        {.token = work[1].token, .reason = "b"},
                        {.token = work[1].token, .reason = "c"}};

  EXPECT_THAT(source("worker-a").bury(items),
              ElementsAre(Verdict::lost, Verdict::done, Verdict::lost));
  EXPECT_EQ(info(work[1].job->id).last_error, "b");
}

TEST_P(QueueReleaseContract, SpendsNoAttempt) {
  const JobId id = enqueue(job());
  EXPECT_EQ(release(take_one().token), Verdict::done);
  maintain();

  EXPECT_EQ(state_of(id), JobState::ready);
  const Work work = take_one();
  EXPECT_EQ(work.job->id, id);
  EXPECT_EQ(work.attempts, 0);
  EXPECT_FALSE(work.suspect);
  EXPECT_THAT(work.job->errors, IsEmpty());
}

TEST_P(QueueReleaseContract, ReturnsToItsOwnLane) {
  queue().set_shards("q", 4);
  const JobId id = enqueue(keyed_job(key_of_shard(3, 4)));
  const Token token = take_one().token;
  queue().set_shards("q", 1);
  EXPECT_EQ(release(token), Verdict::done);
  maintain();

  EXPECT_EQ(info(id).shard, 3);
}

TEST_P(QueueReleaseContract, KeepsTheOrderAmongThoseThatReturn) {
  const std::vector<JobId> ids = enqueue_batch(5);
  std::vector<Token> tokens;
  for (const Work& work : take()) tokens.push_back(work.token);
  ASSERT_THAT(tokens, SizeIs(5));
  for (const Verdict verdict : source("worker-a").release(tokens))
    EXPECT_EQ(verdict, Verdict::done);
  maintain();

  EXPECT_THAT(drain({.limit = 2}), ElementsAreArray(ids));
}

TEST_P(QueueReleaseContract, AnswersForEach) {
  enqueue_batch(2);
  const std::vector<Work> work = take();
  EXPECT_EQ(complete(work[0].token), Verdict::done);
  const Token tokens[] = {work[0].token, work[1].token, work[1].token};

  EXPECT_THAT(source("worker-a").release(tokens),
              ElementsAre(Verdict::lost, Verdict::done, Verdict::lost));
}

}  // namespace penstock::contract

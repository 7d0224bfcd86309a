// complete: each job on its own, whatever the batch that it was claimed in.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(QueueCompleteContract, EndsTheJob) {
  const JobId id = enqueue(job());
  EXPECT_EQ(complete(take_one().token), Verdict::done);

  EXPECT_FALSE(show(id));
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_THAT(list(JobState::running), IsEmpty());
}

TEST_P(QueueCompleteContract, ConcernsOneJobOfABatch) {
  const std::vector<JobId> ids = enqueue_batch(5);
  const std::vector<Work> work = take();
  ASSERT_THAT(work, SizeIs(5));

  EXPECT_EQ(complete(work[2].token), Verdict::done);

  EXPECT_FALSE(show(ids[2]));
  for (const std::size_t other : {0U, 1U, 3U, 4U}) {
    EXPECT_EQ(state_of(ids[other]), JobState::running);
    EXPECT_EQ(extend(work[other].token), Verdict::done);
  }
}

TEST_P(QueueCompleteContract, TakesABatchOfSeveralClaimsInAnyOrder) {
  enqueue_batch(9);
  std::vector<Token> tokens;
  for (const Work& work : take_all({.limit = 2})) tokens.insert(tokens.begin(), work.token);
  ASSERT_THAT(tokens, SizeIs(9));

  EXPECT_THAT(source("worker-a").complete(tokens, nullptr), Each(Verdict::done));

  EXPECT_EQ(lane().running, 0);
  EXPECT_EQ(lane().completed, 9);
}

TEST_P(QueueCompleteContract, ATokenCountsOnce) {
  enqueue(job());
  const Token token = take_one().token;
  EXPECT_EQ(complete(token), Verdict::done);

  EXPECT_EQ(complete(token), Verdict::lost);
  EXPECT_EQ(lane().completed, 1);
}

TEST_P(QueueCompleteContract, ADoubledTokenOfOneCallCountsOnce) {
  enqueue_batch(2);
  const std::vector<Work> work = take();
  const Token tokens[] = {work[0].token, work[1].token, work[0].token};

  const std::vector<Verdict> verdicts = source("worker-a").complete(tokens, nullptr);

  EXPECT_THAT(verdicts, ElementsAre(Verdict::done, Verdict::done, Verdict::lost));
  EXPECT_EQ(lane().completed, 2);
}

TEST_P(QueueCompleteContract, ALostTokenDoesNotHarmItsNeighbours) {
  enqueue_batch(3);
  const std::vector<Work> work = take();
  EXPECT_EQ(release(work[1].token), Verdict::done);
  const Token tokens[] = {work[0].token, work[1].token, work[2].token};

  EXPECT_THAT(source("worker-a").complete(tokens, nullptr),
              ElementsAre(Verdict::done, Verdict::lost, Verdict::done));
}

TEST_P(QueueCompleteContract, AForeignTokenIsLost) {
  enqueue(job());
  const Token good = take_one().token;
  for (std::size_t part = 0; part < good.fence.size(); ++part) {
    for (const std::int64_t off : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{1'000'000}}) {
      Token forged = good;
      forged.fence[part] += off;
      EXPECT_EQ(complete(forged), Verdict::lost) << "part " << part << " off by " << off;
    }
  }

  EXPECT_EQ(complete(Token{}), Verdict::lost);
  EXPECT_EQ(complete(good), Verdict::done);
}

TEST_P(QueueCompleteContract, NothingToCompleteIsNoFailure) {
  EXPECT_THAT(source("worker-a").complete({}, nullptr), IsEmpty());
}

TEST_P(QueueCompleteContract, TakesNoTransaction) {
  enqueue(job());
  const Token token = take_one().token;
  {
    const auto transaction = bus().begin();
    const auto refusal =
        refusal_of([&] { (void)source("worker-a").complete({&token, 1}, transaction.get()); });
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
  }

  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(QueueCompleteContract, IsLostAfterEveryOtherEnd) {
  enqueue_batch(6);
  const std::vector<Work> work = take();
  ASSERT_THAT(work, SizeIs(6));
  EXPECT_EQ(retry(work[0].token), Verdict::done);
  EXPECT_EQ(snooze(work[1].token), Verdict::done);
  EXPECT_EQ(bury(work[2].token), Verdict::done);
  EXPECT_EQ(release(work[3].token), Verdict::done);
  EXPECT_EQ(cancel(work[4].job->id), Verdict::done);
  EXPECT_EQ(bury_job(work[5].job->id), Verdict::done);

  EXPECT_THAT(source("worker-a").complete(tokens_of(work), nullptr), Each(Verdict::lost));
  EXPECT_EQ(lane().completed, 0);
}

TEST_P(QueueCompleteContract, EveryOtherEndIsLostAfterIt) {
  const JobId id = enqueue(job());
  const Token token = take_one().token;
  EXPECT_EQ(complete(token), Verdict::done);

  EXPECT_EQ(retry(token), Verdict::lost);
  EXPECT_EQ(snooze(token), Verdict::lost);
  EXPECT_EQ(bury(token), Verdict::lost);
  EXPECT_EQ(release(token), Verdict::lost);
  EXPECT_EQ(extend(token), Verdict::lost);
  EXPECT_EQ(save_progress(token, "{}"), Verdict::lost);
  EXPECT_EQ(cancel(id), Verdict::lost);
  EXPECT_EQ(bury_job(id), Verdict::lost);
  EXPECT_FALSE(show(id));
}

TEST_P(QueueCompleteContract, ATokenOfAnEarlierAttemptIsLost) {
  const JobId id = enqueue(job());
  const Token first = take_one().token;
  EXPECT_EQ(release(first), Verdict::done);
  maintain();
  const Token second = take_one().token;

  EXPECT_EQ(complete(first), Verdict::lost);
  EXPECT_EQ(state_of(id), JobState::running);
  EXPECT_EQ(complete(second), Verdict::done);
}

TEST_P(QueueCompleteContract, ALateOneIsStillGoodWhileItsWorkerLives) {
  enqueue(job());
  const Token token = take_one().token;
  pass(90s, {"worker-a"});

  EXPECT_EQ(complete(token), Verdict::done);
}

TEST_P(QueueCompleteContract, IsAsGoodWithHundredsAtOnce) {
  constexpr int kMany = 1'500;
  enqueue_batch(kMany);
  const std::vector<Work> work = take_all({.limit = 512});
  ASSERT_THAT(work, SizeIs(kMany));

  EXPECT_THAT(source("worker-a").complete(tokens_of(work), nullptr), Each(Verdict::done));
  EXPECT_EQ(lane().completed, kMany);
}

}  // namespace penstock::contract

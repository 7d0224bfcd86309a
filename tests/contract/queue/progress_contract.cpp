// What an attempt leaves to the next: progress, errors and how many there were.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(QueueProgressContract, IsThereForTheNextAttempt) {
  enqueue(job());
  const Work first = take_one();
  EXPECT_EQ(first.job->progress, "");
  EXPECT_EQ(save_progress(first.token, R"({"done":3})"), Verdict::done);
  EXPECT_EQ(retry(first.token, 0s), Verdict::done);
  maintain();

  EXPECT_EQ(squeezed(take_one().job->progress), R"({"done":3})");
}

TEST_P(QueueProgressContract, IsThereHoweverTheAttemptEnded) {
  const JobId id = enqueue(job());
  Work work = take_one();
  EXPECT_EQ(save_progress(work.token, "1"), Verdict::done);
  EXPECT_EQ(snooze(work.token, 0s), Verdict::done);
  maintain();
  work = take_one();
  EXPECT_EQ(work.job->progress, "1") << "after a snooze";
  EXPECT_EQ(release(work.token), Verdict::done);
  maintain();
  work = take_one();
  EXPECT_EQ(work.job->progress, "1") << "after a release";
  EXPECT_EQ(save_progress(work.token, "2"), Verdict::done);
  EXPECT_EQ(bury(work.token), Verdict::done);
  EXPECT_EQ(stored(id).progress, "2") << "after the end";
  EXPECT_THAT(requeue_all(), SizeIs(1));
  maintain();

  EXPECT_EQ(take_one().job->progress, "2") << "after a requeue";
}

TEST_P(QueueProgressContract, SurvivesTheDeathOfItsProcess) {
  enqueue(job());
  const Work work = take_one();
  EXPECT_EQ(save_progress(work.token, "[1,2]"), Verdict::done);
  pass(kLease + 10s);

  const Work again = take_one({.worker = "worker-b", .suspects = SuspectPolicy::take_alone});

  EXPECT_EQ(squeezed(again.job->progress), "[1,2]");
}

TEST_P(QueueProgressContract, TheLastOneCounts) {
  enqueue(job());
  const Work work = take_one();
  for (const char* json : {"1", "null", R"("text")", R"({"step":2})"}) {
    EXPECT_EQ(save_progress(work.token, json), Verdict::done);
  }
  EXPECT_EQ(retry(work.token, 0s), Verdict::done);
  maintain();

  EXPECT_EQ(squeezed(take_one().job->progress), R"({"step":2})");
}

TEST_P(QueueProgressContract, StaysAcrossAttemptsThatSaveNothing) {
  enqueue(job());
  Work work = take_one();
  EXPECT_EQ(save_progress(work.token, "7"), Verdict::done);
  for (int attempt = 0; attempt < 3; ++attempt) {
    EXPECT_EQ(retry(work.token, 0s), Verdict::done);
    maintain();
    work = take_one();
  }

  EXPECT_EQ(work.job->progress, "7");
}

TEST_P(QueueProgressContract, IsShownWhileTheJobRuns) {
  const JobId id = enqueue(job());
  EXPECT_EQ(save_progress(take_one().token, "7"), Verdict::done);

  EXPECT_EQ(stored(id).progress, "7");
}

TEST_P(QueueProgressContract, IsOfOneJobOfABatch) {
  const std::vector<JobId> ids = enqueue_batch(3);
  const std::vector<Work> work = take();
  EXPECT_EQ(save_progress(work[1].token, "1"), Verdict::done);

  EXPECT_EQ(stored(ids[0]).progress, "");
  EXPECT_EQ(stored(ids[1]).progress, "1");
  EXPECT_EQ(stored(ids[2]).progress, "");
}

TEST_P(QueueProgressContract, MustBeJson) {
  enqueue(job());
  const Work work = take_one();
  for (const std::string& bad : {std::string(), std::string("{"), std::string("{'a':1}"),
                                 std::string("\xFF"), '"' + std::string(64 * 1024, 'x') + '"'}) {
    const auto refusal = refusal_of([&] { (void)save_progress(work.token, bad); });
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
    EXPECT_EQ(refusal->field, "progress");
  }

  EXPECT_EQ(save_progress(work.token, '"' + std::string(64 * 1024 - 2, 'x') + '"'), Verdict::done);
}

TEST_P(QueueProgressContract, IsLostWithTheToken) {
  const JobId id = enqueue(job());
  const Token token = take_one().token;
  EXPECT_EQ(retry(token, 1h), Verdict::done);

  EXPECT_EQ(save_progress(token, "1"), Verdict::lost);
  EXPECT_EQ(stored(id).progress, "");
}

TEST_P(QueueProgressContract, ErrorsAreKeptWithAttemptAndTime) {
  enqueue(job());
  const Timestamp first = now();
  EXPECT_EQ(retry(take_one().token, 1s, "one"), Verdict::done);
  advance(1s);
  maintain();
  EXPECT_EQ(retry(take_one().token, 1s, "two"), Verdict::done);
  advance(1s);
  maintain();

  const std::vector<AttemptError> errors = take_one().job->errors;

  ASSERT_THAT(errors, SizeIs(2));
  EXPECT_EQ(errors[0], (AttemptError{.attempt = 1, .at = first, .error = "one"}));
  EXPECT_EQ(errors[1], (AttemptError{.attempt = 2, .at = first + 1s, .error = "two"}));
}

TEST_P(QueueProgressContract, TheLastTwentyErrorsAreKept) {
  const JobId id = enqueue({.queue = "q", .kind = "k", .max_attempts = 100});
  for (int attempt = 1; attempt <= 23; ++attempt) {
    EXPECT_EQ(retry(take_one().token, 0s, std::to_string(attempt)), Verdict::done);
    maintain();
  }

  const StoredJob kept = stored(id);

  EXPECT_EQ(kept.attempts, 23);
  ASSERT_THAT(kept.errors, SizeIs(20));
  EXPECT_EQ(kept.errors.front().attempt, 4);
  EXPECT_EQ(kept.errors.back().attempt, 23);
  EXPECT_EQ(kept.errors.back().error, "23");
}

TEST_P(QueueProgressContract, TwentyLongErrorsAreStillClaimed) {
  enqueue({.queue = "q", .kind = "k", .max_attempts = 100});
  for (int attempt = 1; attempt <= 20; ++attempt) {
    EXPECT_EQ(retry(take_one().token, 0s, std::string(100'000, 'x')), Verdict::done);
    maintain();
  }

  const std::vector<AttemptError> errors = take_one().job->errors;

  ASSERT_THAT(errors, SizeIs(20));
  EXPECT_EQ(errors[0].error.size(), limits::kErrorTextBytes);
}

TEST_P(QueueProgressContract, AnErrorMayHoldAnyBytes) {
  const JobId id = enqueue(job());
  EXPECT_EQ(retry(take_one().token, 0s, std::string("a\0b\xFF\"\\\n", 7)), Verdict::done);

  EXPECT_EQ(info(id).last_error,
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\"\\\n");
}

TEST_P(QueueProgressContract, AnAttemptWithoutErrorLeavesTheLastOne) {
  const JobId id = enqueue(job());
  EXPECT_EQ(retry(take_one().token, 0s, "boom"), Verdict::done);
  maintain();
  EXPECT_EQ(snooze(take_one().token, 0s), Verdict::done);

  EXPECT_EQ(info(id).last_error, "boom");
  EXPECT_EQ(info(id).attempts, 1);
}

TEST_P(QueueProgressContract, ARequeueKeepsTheErrors) {
  const JobId id = enqueue(job());
  EXPECT_EQ(retry(take_one().token, 0s, "boom"), Verdict::done);
  maintain();
  EXPECT_EQ(bury(take_one().token, "hopeless"), Verdict::done);
  EXPECT_THAT(requeue_all(), SizeIs(1));

  const StoredJob kept = stored(id);

  EXPECT_EQ(kept.attempts, 0);
  ASSERT_THAT(kept.errors, SizeIs(2));
  EXPECT_EQ(kept.errors[0].error, "boom");
  EXPECT_EQ(kept.errors[1].error, "hopeless");
}

}  // namespace penstock::contract

// Limits of a job: bytes, not characters. Beyond one: usage, naming the field, and nothing is
// written.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace {

std::string of_bytes(std::size_t size) { return std::string(size, 'x'); }

std::string of_wide_bytes(std::size_t size) {
  std::string text = size % 2 == 1 ? "x" : "";
  while (text.size() < size) text += "é";
  return text;
}

void expect_limit(QueueStore& queue, std::size_t limit, std::string_view field,
                  const std::function<NewJob(std::string)>& job_of) {
  const auto refusal_at = [&](const std::string& text) {
    const NewJob job = job_of(text);
    return refusal_of([&] { queue.enqueue({&job, 1}, nullptr); });
  };
  for (const auto& text_of : {of_bytes, of_wide_bytes}) {
    EXPECT_FALSE(refusal_at(text_of(limit - 1)));
    EXPECT_FALSE(refusal_at(text_of(limit)));
    const std::size_t jobs = queue.list({}).items.size();

    const auto refusal = refusal_at(text_of(limit + 1));

    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
    EXPECT_EQ(refusal->field, field);
    EXPECT_EQ(refusal->limit, limit);
    EXPECT_EQ(queue.list({}).items.size(), jobs);
  }
}

}  // namespace

TEST_P(QueueLimitContract, OfAQueue) {
  expect_limit(queue(), limits::kQueueBytes, "queue",
               [](std::string text) { return NewJob{.queue = std::move(text), .kind = "k"}; });
}

TEST_P(QueueLimitContract, OfAKind) {
  expect_limit(queue(), limits::kKindBytes, "kind",
               [](std::string text) { return NewJob{.queue = "q", .kind = std::move(text)}; });
}

TEST_P(QueueLimitContract, OfAKey) {
  expect_limit(queue(), limits::kKeyBytes, "key",
               [](std::string text) { return keyed_job(std::move(text)); });
}

TEST_P(QueueLimitContract, OfAUniqueKey) {
  expect_limit(queue(), limits::kKeyBytes, "unique_key",
               [](std::string text) { return unique_job(std::move(text)); });
}

TEST_P(QueueLimitContract, OfAContentType) {
  expect_limit(queue(), limits::kContentTypeBytes, "content_type", [](std::string text) {
    return NewJob{.queue = "q", .kind = "k", .content_type = std::move(text)};
  });
}

TEST_P(QueueLimitContract, OfHeadersTogether) {
  expect_limit(queue(), limits::kHeadersBytes, "headers", [](const std::string& text) {
    return NewJob{
        .queue = "q", .kind = "k", .headers = {{"n", ""}, {"m", of_wide_bytes(text.size() - 2)}}};
  });
}

TEST_P(QueueLimitContract, OfAPayload) {
  start({.max_payload = 100'000});
  enqueue(job(of_bytes(100'000)));

  const auto refusal = refusal_of([&] { enqueue(job(of_bytes(100'001))); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_EQ(refusal->field, "payload");
  EXPECT_EQ(refusal->limit, 100'000U);
  EXPECT_EQ(take_one().job->job.payload.size(), 100'000U);
}

TEST_P(QueueLimitContract, SixteenMebibytesComeBackUnchanged) {
  std::string payload(limits::kPayloadBytes, '\0');
  for (std::size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<char>((i * 2'654'435'761U) >> 13U);
  }
  enqueue(job(payload));

  EXPECT_TRUE(take_one().job->job.payload == payload) << "not printed, for its size";
}

TEST_P(QueueLimitContract, APriorityIsOneToFour) {
  for (const int priority : {-1, 0, 5, 1'000}) {
    const auto refusal =
        refusal_of([&] { enqueue({.queue = "q", .kind = "k", .priority = priority}); });
    ASSERT_TRUE(refusal) << priority;
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
    EXPECT_EQ(refusal->field, "priority");
  }
  for (int priority = 1; priority <= 4; ++priority) {
    enqueue({.queue = "q", .kind = "k", .priority = priority});
  }

  EXPECT_THAT(list(JobState::ready), SizeIs(4));
}

TEST_P(QueueLimitContract, AttemptsAreOneToAThousand) {
  for (const int attempts : {-1, 0, 1'001}) {
    const auto refusal =
        refusal_of([&] { enqueue({.queue = "q", .kind = "k", .max_attempts = attempts}); });
    ASSERT_TRUE(refusal) << attempts;
    EXPECT_EQ(refusal->field, "max_attempts");
  }
  enqueue({.queue = "q", .kind = "k", .max_attempts = 1});
  enqueue({.queue = "q", .kind = "k", .max_attempts = 1'000});

  EXPECT_THAT(list(JobState::ready), SizeIs(2));
}

TEST_P(QueueLimitContract, ADeadlineIsNotNegative) {
  const auto refusal = refusal_of([&] { enqueue({.queue = "q", .kind = "k", .deadline = -1us}); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->field, "deadline");
}

TEST_P(QueueLimitContract, EmptyTextsAreRefused) {
  const NewJob bad[] = {{.queue = "", .kind = "k"},
                        {.queue = "q", .kind = ""},
                        keyed_job(""),
                        unique_job(""),
                        {.queue = "q", .kind = "k", .content_type = ""},
                        {.queue = "q", .kind = "k", .headers = {{"", "x"}}}};
  for (const NewJob& job : bad) {
    const auto refusal = refusal_of([&] { enqueue(job); });
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
  }

  EXPECT_THAT(list(JobState::ready), IsEmpty());
}

TEST_P(QueueLimitContract, NulsAndInvalidUtf8AreRefusedInEveryText) {
  for (const std::string& text :
       {std::string("a\0b", 3), std::string("\xFF"), std::string("\xED\xA0\x80")}) {
    const NewJob bad[] = {{.queue = text, .kind = "k"},
                          {.queue = "q", .kind = text},
                          keyed_job(text),
                          unique_job(text),
                          {.queue = "q", .kind = "k", .content_type = text},
                          {.queue = "q", .kind = "k", .headers = {{text, "x"}}},
                          {.queue = "q", .kind = "k", .headers = {{"n", text}}}};
    for (const NewJob& job : bad) {
      const auto refusal = refusal_of([&] { enqueue(job); });
      ASSERT_TRUE(refusal);
      EXPECT_EQ(refusal->kind, ErrorKind::usage);
    }
  }

  EXPECT_THAT(list(JobState::ready), IsEmpty());
}

TEST_P(QueueLimitContract, AUniqueKeyIsHeldForAsLongAsAJobWaits) {
  for (const JobStates states :
       {JobStates{}, JobStates{JobState::ready}, JobStates{JobState::scheduled, JobState::ready},
        JobStates{JobState::scheduled, JobState::retrying, JobState::running}}) {
    const auto refusal = refusal_of([&] { enqueue(unique_job("u", states)); });
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
    EXPECT_EQ(refusal->field, "unique_states");
  }

  EXPECT_THAT(list(JobState::ready), IsEmpty());
}

TEST_P(QueueLimitContract, OneBadJobRefusesItsBatch) {
  const NewJob jobs[] = {job(), unique_job("u"), keyed_job("")};

  const auto refusal = refusal_of([&] { queue().enqueue(jobs, nullptr); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->field, "key");
  EXPECT_THAT(list(JobState::ready), IsEmpty());
  EXPECT_TRUE(try_enqueue(unique_job("u")).created) << "the key was not taken";
}

TEST_P(QueueLimitContract, OfAWidth) {
  for (const int shards : {-1, 0, 65}) {
    const auto refusal = refusal_of([&] { queue().set_shards("q", shards); });
    ASSERT_TRUE(refusal) << shards;
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
    EXPECT_EQ(refusal->field, "shards");
  }
  queue().set_shards("q", 1);
  queue().set_shards("q", 64);
}

TEST_P(QueueLimitContract, OfTheNameOfAQueueThatIsConfigured) {
  for (const std::string& name : {std::string(), of_bytes(limits::kQueueBytes + 1),
                                  std::string("a\0b", 3), std::string("\xFF")}) {
    for (const auto& refusal : {refusal_of([&] { queue().set_shards(name, 2); }),
                                refusal_of([&] { queue().set_paused(name, true); })}) {
      ASSERT_TRUE(refusal);
      EXPECT_EQ(refusal->kind, ErrorKind::usage);
      EXPECT_EQ(refusal->field, "queue");
    }
  }

  EXPECT_THAT(queue().statistics(Counting::exact).queues, IsEmpty());
}

// Known fault 131.
TEST_P(QueueLimitContract, NamesAtTheirLimitsGoThroughEveryState) {
  const std::string name = of_wide_bytes(limits::kQueueBytes);
  const std::string key = of_wide_bytes(limits::kKeyBytes);
  const JobWish wish{.queues = {name}};
  const JobId id = enqueue({.queue = name, .kind = name, .key = key, .unique_key = key});

  EXPECT_EQ(retry(take_one(wish).token, 0s, of_bytes(1'000'000)), Verdict::done);
  maintain();
  EXPECT_EQ(bury(take_one(wish).token, of_bytes(1'000'000)), Verdict::done);
  EXPECT_THAT(requeue_all(), SizeIs(1));
  maintain();
  EXPECT_EQ(move(id, {.priority = 1}), Verdict::done);
  maintain();
  EXPECT_EQ(complete(take_one(wish).token), Verdict::done);
}

}  // namespace penstock::contract

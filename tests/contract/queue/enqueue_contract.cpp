// enqueue: what is stored, and in which order it can be claimed.
#include <set>

#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(QueueEnqueueContract, HandsOverWhatItWasGiven) {
  const NewJob given{.queue = "mail",
                     .kind = "receipt",
                     .payload = std::string("a\0b\xFF", 4),
                     .priority = 3,
                     .key = "order-42",
                     .max_attempts = 7,
                     .unique_key = "receipt-42",
                     .deadline = 90s,
                     .content_type = "text/plain",
                     .headers = {{"trace", "abc"}, {"empty", ""}}};
  const JobId id = enqueue(given);

  const Work work = take_one({.queues = {"mail"}});

  EXPECT_EQ(work.token.work_id, id.value);
  EXPECT_EQ(work.handler, "mail");
  EXPECT_EQ(work.attempts, 0);
  EXPECT_FALSE(work.suspect);
  EXPECT_EQ(work.published_at, now());
  ASSERT_TRUE(work.job);
  EXPECT_EQ(work.job->id, id);
  EXPECT_EQ(work.job->created_at, now());
  const NewJob& stored = work.job->job;
  EXPECT_EQ(stored.queue, given.queue);
  EXPECT_EQ(stored.kind, given.kind);
  EXPECT_EQ(stored.payload, given.payload);
  EXPECT_EQ(stored.priority, given.priority);
  EXPECT_EQ(stored.key, given.key);
  EXPECT_EQ(stored.run_at, now());
  EXPECT_EQ(stored.max_attempts, given.max_attempts);
  EXPECT_EQ(stored.unique_key, given.unique_key);
  EXPECT_EQ(stored.deadline, given.deadline);
  EXPECT_EQ(stored.content_type, given.content_type);
  EXPECT_EQ(stored.headers, given.headers);
}

TEST_P(QueueEnqueueContract, ADefaultIsNotAValue) {
  enqueue(job());

  const NewJob stored = take_one().job->job;

  EXPECT_EQ(stored.priority, 2);
  EXPECT_EQ(stored.key, std::nullopt);
  EXPECT_EQ(stored.unique_key, std::nullopt);
  EXPECT_EQ(stored.deadline, std::nullopt);
  EXPECT_EQ(stored.max_attempts, 25);
  EXPECT_EQ(stored.content_type, "application/json");
  EXPECT_THAT(stored.headers, IsEmpty());
}

TEST_P(QueueEnqueueContract, ADeadlineOfNoneIsKept) {
  enqueue({.queue = "q", .kind = "k", .deadline = 0s});

  EXPECT_EQ(take_one().job->job.deadline, Duration::zero());
}

TEST_P(QueueEnqueueContract, AnEmptyPayloadIsAPayload) {
  enqueue(job(""));

  EXPECT_EQ(take_one().job->job.payload, "");
}

TEST_P(QueueEnqueueContract, EveryByteComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  enqueue(job(bytes));

  EXPECT_EQ(take_one().job->job.payload, bytes);
}

TEST_P(QueueEnqueueContract, AnswersForEachJobInOrder) {
  std::vector<NewJob> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(job(std::to_string(i)));

  const std::vector<Enqueued> answers = queue().enqueue(jobs, nullptr);

  ASSERT_THAT(answers, SizeIs(5));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_TRUE(answers[i].created);
    EXPECT_EQ(stored(answers[i].id).job.payload, std::to_string(i));
  }
}

TEST_P(QueueEnqueueContract, NoTwoJobsShareAnId) {
  std::set<JobId> ids;
  for (const JobId id : enqueue_batch(50)) ids.insert(id);
  for (const JobId id : enqueue_each(50)) ids.insert(id);
  ids.insert(enqueue({.queue = "q", .kind = "k", .run_at = now() + 1h}));
  ids.insert(enqueue({.queue = "other", .kind = "k", .priority = 4}));

  EXPECT_THAT(ids, SizeIs(102));
}

TEST_P(QueueEnqueueContract, NothingToEnqueueIsNoFailure) {
  EXPECT_THAT(queue().enqueue({}, nullptr), IsEmpty());
  EXPECT_THAT(take(), IsEmpty());
}

TEST_P(QueueEnqueueContract, ABatchIsClaimedInItsOrder) {
  const std::vector<JobId> ids = enqueue_batch(20);

  EXPECT_THAT(jobs_of(take()), ElementsAreArray(ids));
}

TEST_P(QueueEnqueueContract, CallsAreClaimedInTheirOrder) {
  std::vector<JobId> ids = enqueue_each(5);
  for (const JobId id : enqueue_batch(5)) ids.push_back(id);
  for (const JobId id : enqueue_each(5)) ids.push_back(id);

  EXPECT_THAT(jobs_of(take()), ElementsAreArray(ids));
}

TEST_P(QueueEnqueueContract, ABatchMayMixQueuesPrioritiesAndKeys) {
  const std::vector<NewJob> jobs{
      {.queue = "b", .kind = "k", .payload = "0"},
      {.queue = "a", .kind = "k", .payload = "1", .priority = 4},
      {.queue = "b", .kind = "k", .payload = "2", .key = "x"},
      {.queue = "a", .kind = "k", .payload = "3", .priority = 1},
      {.queue = "b", .kind = "k", .payload = "4", .run_at = now() + 1h},
  };

  const std::vector<Enqueued> answers = queue().enqueue(jobs, nullptr);

  ASSERT_THAT(answers, SizeIs(5));
  EXPECT_THAT(payloads_of(take_all({.queues = {"a"}})), ElementsAre("3", "1"));
  EXPECT_THAT(payloads_of(take_all({.queues = {"b"}})), ElementsAre("0", "2"));
  EXPECT_EQ(state_of(answers[4].id), JobState::scheduled);
}

// Known fault 3.
TEST_P(QueueEnqueueContract, ThousandsInOneCallAreAllOrNothing) {
  constexpr int kMany = 5'000;
  std::vector<NewJob> jobs(kMany, job());
  jobs.back().priority = 5;
  EXPECT_TRUE(refusal_of([&] { queue().enqueue(jobs, nullptr); }));
  EXPECT_THAT(find({.limit = 10'000}), IsEmpty());
  jobs.back().priority = 2;

  const std::vector<JobId> ids = jobs_of(queue().enqueue(jobs, nullptr));

  EXPECT_THAT(ids, SizeIs(kMany));
  EXPECT_EQ(lane().waiting, kMany);
  EXPECT_THAT(drain({.limit = 1'000, .room = 1'000}), ElementsAreArray(ids));
}

TEST_P(QueueEnqueueContract, AQueueExistsFromItsFirstJobOn) {
  enqueue(job());

  const std::vector<QueueSettings> queues = queue().statistics(Counting::exact).queues;

  ASSERT_THAT(queues, SizeIs(1));
  EXPECT_EQ(queues[0].queue, "q");
  EXPECT_EQ(queues[0].shards, 1);
  EXPECT_FALSE(queues[0].paused);
}

// Known fault 127.
TEST_P(QueueEnqueueContract, NamesAreNeverPartOfAStatement) {
  const std::string name = R"(a'b"c;--$$ \ %s {}[] é日本)";
  const JobId id = enqueue(
      {.queue = name, .kind = name, .key = name, .unique_key = name, .headers = {{name, name}}});

  const Work work = take_one({.worker = name, .queues = {name}});

  EXPECT_EQ(work.job->id, id);
  EXPECT_EQ(work.job->job.kind, name);
  EXPECT_EQ(work.job->job.key, name);
  EXPECT_EQ(work.job->job.unique_key, name);
  EXPECT_EQ(work.job->job.headers.at(name), name);
  EXPECT_EQ(retry(work.token, 0s, name), Verdict::done);
  EXPECT_EQ(info(id).last_error, name);
}

}  // namespace penstock::contract

// Large batches, which are copied: they say the same as small ones, in the same order, or nothing.
#include "penstock/error.hpp"
#include "store/postgres/queue/copy_jobs.hpp"
#include "store/postgres/queue/queue_fixture.hpp"

namespace penstock::test {
namespace {

using postgres::detail::kCopiedJobs;
using ::testing::SizeIs;

class PostgresCopyTest : public PostgresQueueTest {
 protected:
  /// Jobs that differ in everything that is copied.
  [[nodiscard]] static std::vector<NewJob> various(std::size_t count) {
    std::vector<NewJob> jobs;
    for (std::size_t i = 0; i < count; ++i) {
      NewJob job{.queue = "q", .kind = "k" + std::to_string(i), .payload = std::string("\0é", 3)};
      if (i % 2 == 0) job.key = "日本" + std::to_string(i);
      if (i % 3 == 0) job.headers = {{"h", "v\"" + std::to_string(i)}};
      if (i % 5 == 0) job.deadline = std::chrono::microseconds{1'500'000 + i};
      if (i % 7 == 0) job.content_type = "text/plain";
      if (i % 11 == 0) job.payload.clear();
      job.max_attempts = 1 + static_cast<int>(i % 1'000);
      jobs.push_back(std::move(job));
    }
    return jobs;
  }
  [[nodiscard]] std::string stored() const {
    return user_.ask("select count(*) from " + name("queue_ready"));
  }
};

TEST_F(PostgresCopyTest, StoresEveryFieldInOrder) {
  const std::vector<NewJob> jobs = various(kCopiedJobs + 500);

  const std::vector<Enqueued> enqueued = queue().enqueue(jobs, nullptr);

  const std::vector<Work> work = claim(jobs.size()).work;
  ASSERT_THAT(work, SizeIs(jobs.size()));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const StoredJob& stored = *work[i].job;
    EXPECT_TRUE(enqueued[i].created);
    EXPECT_EQ(stored.id, enqueued[i].id);
    EXPECT_EQ(stored.job.kind, jobs[i].kind);
    EXPECT_EQ(stored.job.payload, jobs[i].payload);
    EXPECT_EQ(stored.job.key, jobs[i].key);
    EXPECT_EQ(stored.job.headers, jobs[i].headers);
    EXPECT_EQ(stored.job.deadline, jobs[i].deadline);
    EXPECT_EQ(stored.job.content_type, jobs[i].content_type);
    EXPECT_EQ(stored.job.max_attempts, jobs[i].max_attempts);
    EXPECT_EQ(stored.attempts, 0);
    EXPECT_EQ(stored.created_at, *stored.job.run_at);
    EXPECT_FALSE(work[i].suspect);
  }
}

TEST_F(PostgresCopyTest, IsPartOfTheTransactionOfItsCaller) {
  const std::vector<NewJob> jobs = various(kCopiedJobs + 1);
  const auto transaction = postgres::borrow(user_.handle());

  user_.ask("begin");
  (void)queue().enqueue(jobs, &transaction);
  user_.ask("rollback");
  EXPECT_EQ(stored(), "0");

  user_.ask("begin");
  (void)queue().enqueue(jobs, &transaction);
  user_.ask("commit");
  EXPECT_EQ(stored(), std::to_string(jobs.size()));
}

TEST_F(PostgresCopyTest, AFailureInTheMiddleStoresNothingAndSpoilsNothing) {
  user_.ask("alter table " + name("queue_ready") + " add check (kind <> 'k700')");

  EXPECT_THROW((void)queue().enqueue(various(kCopiedJobs + 1), nullptr), Error);

  EXPECT_EQ(stored(), "0");
  EXPECT_THAT(
      queue().enqueue(std::vector(kCopiedJobs + 1, NewJob{.queue = "q", .kind = "k"}), nullptr),
      SizeIs(kCopiedJobs + 1));
}

// What has to be looked up, or waits, goes the long way.
TEST_F(PostgresCopyTest, LeavesUniqueAndDeferredJobsToTheFunction) {
  std::vector<NewJob> jobs = various(kCopiedJobs + 2);
  jobs.front().unique_key = "u";
  jobs.back().unique_key = "u";

  const std::vector<Enqueued> enqueued = queue().enqueue(jobs, nullptr);

  EXPECT_FALSE(enqueued.back().created);
  EXPECT_EQ(enqueued.back().id, enqueued.front().id);
  EXPECT_EQ(stored(), std::to_string(jobs.size() - 1));
}

}  // namespace
}  // namespace penstock::test

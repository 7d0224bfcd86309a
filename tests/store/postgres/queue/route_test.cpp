// To which lane a job goes: SQL and C++ agree on every key, and a call's keyless jobs stay
// together.
#include <random>
#include <set>
#include <sstream>

#include "store/postgres/queue/queue_fixture.hpp"
#include "work/lane_hash.hpp"

namespace penstock::test {
namespace {

using ::testing::SizeIs;

/// Characters of one to four bytes, so that a key is hashed by its bytes and not by its characters.
std::string random_key(std::mt19937& random) {
  static const std::vector<std::string> characters = {"a", "Z",    "0", "-",  "'",  "\"", "\\",
                                                      " ", "\x01", "é", "日", "本", "🚀"};
  std::string key;
  const std::size_t length = 1 + random() % 24;
  while (key.size() < length) key += characters[random() % characters.size()];
  return key;
}

class PostgresRouteTest : public PostgresQueueTest {
 protected:
  /// The shards of the jobs in `queue`, in the order of their ids.
  [[nodiscard]] std::vector<int> shards_of(const std::string& queue) const {
    std::istringstream text(user_.ask(
        "select string_agg(l.enqueue_shard::text, ' ' order by r.id) from " + name("queue_ready") +
        " r join " + name("queue_lanes") + " l using (lane) where l.queue = '" + queue + "'"));
    return {std::istream_iterator<int>(text), {}};
  }
};

TEST_F(PostgresRouteTest, EnqueueTakesTheShardOfCpp) {
  constexpr int kKeys = 10'000;
  std::mt19937 random(20'261'201);  // NOLINT(cert-msc51-cpp): the same keys in every run
  std::vector<std::vector<NewJob>> jobs(kMaxShards + 1);
  for (int i = 0; i < kKeys; ++i) {
    const int shards = 1 + i % kMaxShards;
    jobs.at(static_cast<std::size_t>(shards))
        .push_back(
            {.queue = "wide-" + std::to_string(shards), .kind = "k", .key = random_key(random)});
  }

  for (int shards = 1; shards <= kMaxShards; ++shards) {
    const auto& some = jobs.at(static_cast<std::size_t>(shards));
    std::vector<int> expected;
    for (const NewJob& job : some) expected.push_back(work::shard_of(*job.key, shards));
    queue().set_shards(some.front().queue, shards);
    (void)queue().enqueue(some, nullptr);

    ASSERT_EQ(shards_of(some.front().queue), expected) << shards << " shards";
  }
}

TEST_F(PostgresRouteTest, TheSqlFunctionTakesTheShardOfCpp) {
  queue().set_shards("q", 64);
  user_.ask("select count(" + name("enqueue") +
            "('q', 'k', '', ordering_key => k)) from unnest(array['order-42', '日本', 'a']) k");

  EXPECT_EQ(shards_of("q"),
            (std::vector<int>{work::shard_of("order-42", 64), work::shard_of("日本", 64),
                              work::shard_of("a", 64)}));
}

// A large call is stored in several statements, and each chooses anew.
TEST_F(PostgresRouteTest, KeylessJobsOfALargeMixedCallShareAShard) {
  queue().set_shards("a", 7);
  queue().set_shards("q", 7);
  std::vector<NewJob> jobs;
  for (int i = 0; i < 3'000; ++i) {
    jobs.push_back({.queue = "q", .kind = "k"});
    // Which queues there are beside it changes from statement to statement.
    if (i > 1'500) jobs.push_back({.queue = "a", .kind = "k", .key = "k" + std::to_string(i)});
  }

  for (int call = 0; call < 3; ++call) {
    user_.ask("truncate " + name("queue_ready"));
    (void)queue().enqueue(jobs, nullptr);
    const std::vector<int> shards = shards_of("q");
    EXPECT_THAT(shards, SizeIs(3'000));
    EXPECT_THAT(std::set<int>(shards.begin(), shards.end()), SizeIs(1));
  }
}

}  // namespace
}  // namespace penstock::test

// A queue on PostgreSQL in a schema of its own, on the clock of the server.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "penstock/stores/postgres.hpp"
#include "support/postgres_server.hpp"

namespace penstock::test {

/// Claims up to `limit` jobs of `queue`.
[[nodiscard]] inline Claimed claim_from(JobSource& source, const std::string& queue,
                                        std::size_t limit = 100,
                                        Duration lease = std::chrono::seconds{30}) {
  const WorkerId worker("w");
  const HandlerRoom room{.handler = queue, .room = limit};
  return source.claim({.worker = worker, .handlers = {&room, 1}, .limit = limit, .lease = lease});
}

[[nodiscard]] inline std::vector<Token> tokens_of(const std::vector<Work>& work) {
  std::vector<Token> tokens;
  for (const Work& one : work) tokens.push_back(one.token);
  return tokens;
}

class PostgresQueueTest : public testing::Test {
 protected:
  void SetUp() override { queue().setup(SetupMode::migrate); }

  [[nodiscard]] QueueStore& queue() { return store_.queue(); }
  [[nodiscard]] std::string name(const std::string& object) const {
    return '"' + schema_.name() + "\"." + object;
  }
  JobId enqueue(const NewJob& job) { return queue().enqueue({&job, 1}, nullptr).front().id; }
  [[nodiscard]] Claimed claim(std::size_t limit = 100) { return claim_from(*source_, "q", limit); }
  void maintain() { (void)queue().maintenance({.worker = WorkerId("m")})->step_all(); }
  [[nodiscard]] JobState state_of(JobId id) { return queue().show(id).value().state; }

  const TestSchema schema_;
  const Session user_{schema_.url()};
  PostgresStore store_{{.connection = schema_.url(), .schema = schema_.name()}};
  std::unique_ptr<JobSource> source_ = store_.queue().source({});
};

}  // namespace penstock::test

// A memory store, its queue, and the few verbs that the tests of this folder need.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "contract/contract.hpp"
#include "penstock/stores/memory.hpp"

namespace penstock {

class MemoryQueueTest : public ::testing::Test {
 protected:
  explicit MemoryQueueTest(MemoryStoreOptions options = {})
      : store_({.clock = clock_, .retain_completed = options.retain_completed}) {}

  MemoryStore& store() { return store_; }
  QueueStore& queue() { return store_.queue(); }
  BusStore& bus() { return store_.bus(); }
  ManualClock& clock() { return *clock_; }
  JobSource& source() { return *source_; }

  Enqueued enqueue(const NewJob& job, const Transaction* transaction = nullptr) {
    return queue().enqueue({&job, 1}, transaction).at(0);
  }
  Claimed claim(const char* worker = "worker-a", SuspectPolicy suspects = SuspectPolicy::leave) {
    return claim_from(source(), worker, suspects);
  }
  static Claimed claim_from(JobSource& source, const char* worker,
                            SuspectPolicy suspects = SuspectPolicy::leave) {
    const WorkerId id{worker};
    const std::vector<HandlerRoom> rooms = {{"mail", 10}};
    return source.claim({.worker = id, .handlers = rooms, .suspects = suspects});
  }
  JobInfo show(JobId id) { return queue().show(id).value(); }

 private:
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  MemoryStore store_;
  std::unique_ptr<JobSource> source_ = store_.queue().source({});
};

inline std::vector<std::string> kinds_of(const std::vector<Work>& work) {
  std::vector<std::string> kinds;
  for (const Work& one : work) kinds.push_back(one.job->job.kind);
  return kinds;
}

}  // namespace penstock

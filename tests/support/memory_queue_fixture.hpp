// A memory store for the tests of the queue that are written for every store.
#pragma once

#include "contract/queue/queue_contract.hpp"
#include "penstock/stores/memory.hpp"

namespace penstock::contract {

class MemoryQueueFixture final : public QueueFixture {
 public:
  MemoryQueueFixture(std::shared_ptr<const Clock> clock, const StoreSetup& setup)
      : store_({.clock = std::move(clock),
                .retain_completed = setup.completion_history,
                .max_payload = setup.max_payload}) {
    store_.queue().setup(SetupMode::migrate);
  }

  Store& store() override { return store_; }
  void reopen() override {}

 private:
  MemoryStore store_;
};

[[nodiscard]] inline QueueUnderTest memory_queue() {
  return {.name = "memory", .make = [](auto clock, const StoreSetup& setup) {
            return std::make_unique<MemoryQueueFixture>(std::move(clock), setup);
          }};
}

}  // namespace penstock::contract

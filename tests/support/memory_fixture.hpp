// A memory store for the tests that are written for every store.
#pragma once

#include "contract/contract.hpp"
#include "penstock/stores/memory.hpp"

namespace penstock::contract {

class MemoryFixture final : public StoreFixture {
 public:
  MemoryFixture(std::shared_ptr<const Clock> clock, const StoreSetup& setup)
      : store_({.clock = std::move(clock),
                .retain_completed = setup.completion_history,
                .max_payload = setup.max_payload}) {
    store_.bus().setup(SetupMode::migrate);
  }

  BusStore& bus() override { return store_.bus(); }
  [[nodiscard]] const MemoryStore& store() const { return store_; }
  void reopen() override {}
  bool set_next_delivery_id(std::int64_t /*next*/) override { return false; }

 private:
  MemoryStore store_;
};

[[nodiscard]] inline StoreUnderTest memory_store() {
  return {.name = "memory", .make = [](auto clock, const StoreSetup& setup) {
            return std::make_unique<MemoryFixture>(std::move(clock), setup);
          }};
}

}  // namespace penstock::contract

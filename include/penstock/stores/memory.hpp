// The store in memory: the reference of the contract, for tests and simulations. Nothing survives
// it.
#pragma once

#include <memory>
#include <vector>

#include "penstock/store.hpp"

namespace penstock {

struct MemoryStoreOptions {
  /// Judges leases and due times. Null: the wall clock.
  std::shared_ptr<const Clock> clock{};
  /// Keep and list completed deliveries, and completed and cancelled jobs.
  bool retain_completed = false;
  std::size_t max_payload = limits::kPayloadBytes;
};

/// Threads: thread-safe.
class MemoryStore final : public Store {
 public:
  explicit MemoryStore(MemoryStoreOptions options = {});
  ~MemoryStore() override;

  [[nodiscard]] BusStore& bus() override;
  [[nodiscard]] QueueStore& queue() override;

  /// For tests: every event published so far and not purged, in commit order.
  [[nodiscard]] std::vector<Event> published() const;
  /// For tests: every job enqueued so far, in commit order, whatever became of it.
  [[nodiscard]] std::vector<NewJob> enqueued() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock

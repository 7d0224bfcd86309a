// A transaction of the memory store: writes wait in a buffer, and everything they rest on is
// checked again under the lock at commit. No lock is held in between.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "penstock/bus_store.hpp"
#include "store/memory/queue/records.hpp"
#include "store/memory/records.hpp"

namespace penstock::memory {

class MemoryBus;
class MemoryQueue;

/// What publish decided about one event.
struct PlannedEvent {
  std::shared_ptr<const Event> event;
  LaneId lane;
  PublishStatus status = PublishStatus::created;
  std::vector<HandlerRecord*> handlers;  ///< That get a delivery.
  bool of_same_transaction = false;      ///< A duplicate of an event that this transaction creates.
};

struct PendingWrites {
  std::vector<PlannedEvent> events;
  /// Handlers of the events that this transaction touches, by id.
  std::unordered_map<EventId, std::vector<const HandlerRecord*>> handlers;
  std::vector<Token> completed;
  PendingJobs jobs;
};

/// Threads: one thread at a time.
class MemoryTransaction final : public OwnedTransaction {
 public:
  MemoryTransaction(MemoryBus& bus, const MemoryQueue& queue) : bus_(bus), queue_(queue) {}

  void commit() override;
  /// Of the store that began it.
  [[nodiscard]] const MemoryQueue& queue() const noexcept { return queue_; }
  /// Throws: usage, after the commit.
  [[nodiscard]] PendingWrites& pending() const;

 private:
  MemoryBus& bus_;
  const MemoryQueue& queue_;
  /// Behind a pointer because the verbs take a constant Transaction: the handle does not change.
  std::unique_ptr<PendingWrites> pending_ = std::make_unique<PendingWrites>();
};

/// What `transaction` holds of the store that `queue` belongs to. Throws: usage, where another
/// began it, or it has ended.
[[nodiscard]] PendingWrites& pending_of(const Transaction& transaction, const MemoryQueue& queue);

}  // namespace penstock::memory

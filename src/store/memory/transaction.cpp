// Buffered writes and their commit.
#include "store/memory/transaction.hpp"

#include "penstock/error.hpp"
#include "store/memory/bus.hpp"

namespace penstock::memory {

void MemoryTransaction::commit() {
  const PendingWrites writes = std::move(pending());
  pending_.reset();
  bus_.commit(writes);
}

PendingWrites& MemoryTransaction::pending() const {
  if (!pending_) {
    throw Error(ErrorKind::usage, "the transaction has ended; begin another",
                {.field = "transaction"});
  }
  return *pending_;
}

PendingWrites& pending_of(const Transaction& transaction, const MemoryQueue& queue) {
  const auto* ours = dynamic_cast<const MemoryTransaction*>(&transaction);
  if (ours == nullptr || &ours->queue() != &queue) {
    throw Error(ErrorKind::usage,
                "expected a transaction that this memory store began, found one of another store",
                {.field = "transaction"});
  }
  return ours->pending();
}

}  // namespace penstock::memory

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

}  // namespace penstock::memory

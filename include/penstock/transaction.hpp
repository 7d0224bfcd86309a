// A database transaction to publish or complete in: the caller's own, or one begun by a store.
#pragma once

#include <memory>

namespace penstock {

/// A handle on an open transaction of one store.
///
/// `penstock::sqlite::borrow(connection)` and its siblings make one of the caller's connection; it
/// begins and ends nothing, and must not outlive the caller's transaction. `BusStore::begin` gives
/// an `OwnedTransaction`.
/// Threads: one thread at a time.
class Transaction {
 public:
  virtual ~Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

 protected:
  Transaction() = default;
};

/// A transaction that penstock began. Rolled back when destroyed without a commit.
class OwnedTransaction : public Transaction {
 public:
  /// Throws: unavailable, conflict (nothing of it happened), in_doubt.
  virtual void commit() = 0;
};

}  // namespace penstock

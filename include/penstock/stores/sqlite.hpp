// The embedded store: one SQLite file, several processes, nothing to install or operate.
#pragma once

#include <memory>
#include <string>

#include "penstock/store.hpp"

struct sqlite3;

namespace penstock {

struct SqliteStoreOptions {
  /// The file. Missing folders are not created.
  std::string path{};
  /// Judges leases and due times; the same in every process on the file. Null: the wall clock.
  std::shared_ptr<const Clock> clock{};
  /// Keep and list completed deliveries and jobs: one more insert per completion.
  bool completion_history = false;
  /// How long a call waits for other writers before it throws `conflict`.
  Duration busy_timeout = std::chrono::seconds{30};
  std::size_t max_payload = limits::kPayloadBytes;
  Log log{};
};

/// Threads: thread-safe. Processes: several may open one file; after fork, open it again.
/// Source:  docs/adr/0005-sqlite-store.md
class SqliteStore final : public Store {
 public:
  /// Throws: unavailable (the file cannot be opened), usage.
  explicit SqliteStore(SqliteStoreOptions options);
  ~SqliteStore() override;

  [[nodiscard]] BusStore& bus() override;
  [[nodiscard]] QueueStore& queue() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

namespace sqlite {

/// The caller's own open transaction, to publish in.
///
/// Begin it with BEGIN IMMEDIATE. In a deferred transaction that has read before another connection
/// wrote, publish throws `conflict`: roll back and run the transaction again.
class Borrowed final : public Transaction {
 public:
  explicit Borrowed(sqlite3* connection) : connection_(connection) {}
  [[nodiscard]] sqlite3* connection() const noexcept { return connection_; }

 private:
  sqlite3* connection_;
};

/// `connection` must be open on the file of the store, inside a transaction, and outlive the
/// result.
[[nodiscard]] inline Borrowed borrow(sqlite3* connection) { return Borrowed{connection}; }

/// The connection of a transaction that a SQLite store began, for the writes of a transactional
/// handler. Not to be committed, rolled back or closed.
///
/// Throws: usage, where `transaction` belongs to another store.
[[nodiscard]] sqlite3* connection(const Transaction& transaction);

}  // namespace sqlite
}  // namespace penstock

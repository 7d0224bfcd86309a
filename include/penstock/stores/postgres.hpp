// The PostgreSQL store: many machines on one database, and publishing in the transaction that a
// program already has there.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "penstock/store.hpp"

struct pg_conn;  // libpq's PGconn.

namespace penstock {

struct PostgresStoreOptions {
  /// For libpq: `postgresql://user@host/database?sslmode=require`, or `host=… dbname=…`. What is
  /// absent comes from libpq's environment variables.
  std::string connection{};
  /// Where the tables are; `setup` makes it. Several stores live side by side under other names.
  std::string schema = "penstock";
  /// Stands before the name of every table and function.
  std::string prefix{};
  /// Keep and list completed deliveries and jobs: one more insert per completion.
  bool completion_history = false;
  /// Connections for calls; as many again for transactions that callers hold. Opened when needed.
  std::size_t pool_size = 10;
  /// How long a call waits for a free connection before it throws `unavailable`.
  Duration pool_timeout = std::chrono::seconds{30};
  /// Whether a pooler stands in between that gives each transaction another session: then nothing
  /// is kept in sessions, and work of other processes is found by polling. Absent: found out.
  std::optional<bool> pooler{};
  std::size_t max_payload = limits::kPayloadBytes;
  Log log{};
};

/// Leases and due times are judged by the server's clock. Opening connects to nothing yet.
///
/// Threads: thread-safe. Processes: after fork, open it again.
class PostgresStore final : public Store {
 public:
  /// Throws: usage.
  explicit PostgresStore(PostgresStoreOptions options);
  ~PostgresStore() override;

  [[nodiscard]] BusStore& bus() override;
  [[nodiscard]] QueueStore& queue() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

namespace postgres {

/// The caller's own open transaction, to publish in.
///
/// Where a publish fails on the server, PostgreSQL ends the whole transaction: roll back.
class Borrowed final : public Transaction {
 public:
  explicit Borrowed(pg_conn* connection) : connection_(connection) {}
  [[nodiscard]] pg_conn* connection() const noexcept { return connection_; }

 private:
  pg_conn* connection_;
};

/// `connection` (a PGconn*) must be open on the database of the store, inside a transaction, not in
/// pipeline mode, with client_encoding UTF8, and outlive the result.
[[nodiscard]] inline Borrowed borrow(pg_conn* connection) { return Borrowed{connection}; }

/// The connection of a transaction that a PostgreSQL store began, for the writes of a transactional
/// handler. Not to be committed, rolled back or closed.
///
/// Throws: usage, where `transaction` belongs to another store.
[[nodiscard]] pg_conn* connection(const Transaction& transaction);

}  // namespace postgres
}  // namespace penstock

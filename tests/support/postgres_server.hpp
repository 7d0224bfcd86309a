// PostgreSQL for tests: one server that all share, each test in a schema of its own; or a private
// one, to be killed and started again. And a real PgBouncer before it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/background_program.hpp"

struct pg_conn;

namespace penstock::test {

/// A server of this test alone.
class PostgresServer {
 public:
  /// `settings`: "name=value" lines for its configuration, such as "fsync=on".
  explicit PostgresServer(const std::vector<std::string>& settings = {});

  /// A connection string.
  [[nodiscard]] std::string url(const std::string& options = {}) const;
  [[nodiscard]] const std::string& folder() const { return program_.first_line(); }
  /// As a power failure would.
  void kill();
  void start();

 private:
  BackgroundProgram program_;
};

/// The folder of the server that all tests share: that of the test runner's fixture; else, where a
/// test program is run by hand, one for this program.
[[nodiscard]] const std::string& shared_server();

/// The URL of a server in `folder`. `options` such as "schema=x&prefix=y".
[[nodiscard]] std::string server_url(const std::string& folder, const std::string& options = {});

/// PgBouncer in transaction mode before the server in `server_folder`.
class PgBouncer {
 public:
  explicit PgBouncer(const std::string& server_folder);
  [[nodiscard]] std::string url(const std::string& options = {}) const;

 private:
  BackgroundProgram program_;
};

/// A schema name that no other test has; the schema goes with the object.
class TestSchema {
 public:
  explicit TestSchema(std::string server = shared_server());
  ~TestSchema();
  TestSchema(const TestSchema&) = delete;
  TestSchema& operator=(const TestSchema&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// For open_store, or for PostgresStoreOptions::connection where `options` is empty.
  [[nodiscard]] std::string url() const { return server_url(server_); }
  /// Runs SQL as a superuser and answers with the first value, as text.
  std::string ask(const std::string& sql) const;

 private:
  std::string server_;
  std::string name_;
};

/// A plain libpq session, as a user's program would have it.
class Session {
 public:
  explicit Session(const std::string& url);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] pg_conn* handle() const noexcept { return handle_; }
  /// The first value of the answer, as text; throws std::runtime_error where it fails.
  std::string ask(const std::string& sql) const;

 private:
  pg_conn* handle_;
};

}  // namespace penstock::test

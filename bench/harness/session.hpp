// A plain session with PostgreSQL, for the server's own counters and for disturbing it.
#pragma once

#include <string>
#include <vector>

struct pg_conn;

namespace penstock::bench {

/// Threads: one thread at a time. Every call throws std::runtime_error where the server refuses.
class Session {
 public:
  /// `url` as libpq takes it: without options of ours.
  explicit Session(const std::string& url);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The first row of the answer, as texts; empty where there is none.
  std::vector<std::string> row(const std::string& sql);
  /// The first value of the answer; empty where there is none.
  std::string ask(const std::string& sql);
  double number(const std::string& sql);

 private:
  pg_conn* connection_;
};

}  // namespace penstock::bench

// A session that publishes through somebody else's functions, or takes work from them: prepared
// statements with one parameter at most.
#pragma once

#include <memory>
#include <penstock/event.hpp>
#include <span>
#include <string>
#include <string_view>

struct pg_conn;
struct pg_result;

namespace penstock::bench {

struct FreeResult {
  void operator()(pg_result* result) const noexcept;
};
/// Rows of an answer, for libpq's own functions.
using Rows = std::unique_ptr<pg_result, FreeResult>;

/// Threads: one thread at a time. Every call throws std::runtime_error where the server refuses.
class PeerConnection {
 public:
  explicit PeerConnection(const std::string& url);
  ~PeerConnection();
  PeerConnection(const PeerConnection&) = delete;
  PeerConnection& operator=(const PeerConnection&) = delete;

  /// Statements separated by semicolons are one transaction; the answer is that of the last.
  Rows run(const std::string& sql);
  void prepare(const char* name, const std::string& sql);
  Rows run_prepared(const char* name, const std::string& value);
  /// The payloads are the parameter, as text[].
  Rows run_prepared(const char* name, std::span<const Event> events);

 private:
  Rows checked(pg_result* result);

  pg_conn* connection_;
};

}  // namespace penstock::bench

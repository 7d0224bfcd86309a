// A socket between a client and a test's server, which can go silent without closing anything, or
// break under an answer: what a lost network looks like from both ends.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace penstock::test {

/// Carries one connection at a time. Thread-safe.
class StallingProxy {
 public:
  explicit StallingProxy(const std::string& server_folder);
  ~StallingProxy();
  StallingProxy(const StallingProxy&) = delete;
  StallingProxy& operator=(const StallingProxy&) = delete;

  [[nodiscard]] std::string url() const;
  /// From now on nothing passes in either direction.
  void stall() { stalled_ = true; }
  /// Closes the connection instead of carrying what the server says next. Once.
  void lose_next_answer() { loses_answer_ = true; }

 private:
  void run();
  void carry(int client);

  const std::string server_folder_;
  std::string folder_;
  int listening_ = -1;
  int ended_ = -1;  ///< Readable when the proxy ends.
  std::atomic<bool> stalled_ = false;
  std::atomic<bool> loses_answer_ = false;
  std::jthread thread_;
};

}  // namespace penstock::test

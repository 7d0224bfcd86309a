// Somebody else's queue on the same PostgreSQL server, measured beside penstock in the same run.
// Its publishers and its processes keep the same journals, so the same verdict is passed on its
// runs.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <stop_token>
#include <string>

#include "harness/layout.hpp"
#include "harness/paced_loop.hpp"
#include "harness/verdict.hpp"

namespace penstock::bench {

/// Threads: one thread at a time. Every call throws std::exception where the peer or its server
/// refuses.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Makes its tables anew: empty.
  virtual void make_tables() = 0;
  virtual void remove_tables() = 0;
  /// What one thread publishes through, on a connection of its own.
  [[nodiscard]] virtual PublishCall publisher() = 0;
  /// What the peer's daemon does every 20 ms. Threads: beside the other calls, on one thread.
  virtual void tick() = 0;
  /// Everything that was committed before is due afterwards, and the planner knows of it.
  virtual void settle() = 0;
  /// Is one dispatching process of a run, as worker.hpp has it. `order` is a file.
  virtual void dispatch(const std::filesystem::path& order) = 0;
  /// What is left after a run. Nothing may be running.
  [[nodiscard]] virtual Leftover leftover() = 0;
};

/// A thread that calls `tick` for as long as this lives.
class Ticking {
 public:
  /// `peer` must outlive this.
  explicit Ticking(Peer& peer);
  ~Ticking() { stop_.request_stop(); }
  Ticking(const Ticking&) = delete;
  Ticking& operator=(const Ticking&) = delete;

  /// Returns when it has ended. Throws what a tick threw.
  void end();

 private:
  std::stop_source stop_{};
  std::future<void> ended_;  // Waits when it is destroyed.
};

/// Null where `layout` is not a peer's. Throws: std::runtime_error, where it cannot be had.
[[nodiscard]] std::unique_ptr<Peer> open_peer(Layout layout, const std::string& url);

}  // namespace penstock::bench

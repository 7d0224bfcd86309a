// What is done to a run while it runs: by other sessions, to its processes, to the server. All but
// kills need PostgreSQL.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "harness/layout.hpp"

namespace penstock::bench {

class Crew;

enum class Pressure {
  held_transaction,  ///< A transaction with an xid and a snapshot stays open.
  readers,           ///< Four sessions count deliveries and events under REPEATABLE READ, again and
                     ///< again.
  idle_sessions,     ///< 300 sessions are open and do nothing.
  kill,              ///< One process is killed and replaced.
  kills,             ///< So is one every second.
  lost_sessions,     ///< The server ends every session of the processes.
  server_restart,    ///< The server stops as in a power failure, and is started.
};

[[nodiscard]] std::string_view to_string(Pressure pressure) noexcept;
/// Whether it disturbs for as long as it is there; else by single acts.
[[nodiscard]] bool is_lasting(Pressure pressure) noexcept;
/// Whether it ends attempts whose work may have been done: then that runs again.
[[nodiscard]] bool causes_repeats(Pressure pressure) noexcept;

struct Surroundings {
  Layout layout = Layout::penstock;
  std::string url{};
  std::string restart_command{};  ///< For the shell; needed by `server_restart` alone.
};

/// From its making to its end. Threads: one thread at a time.
class Disturbance {
 public:
  Disturbance();
  virtual ~Disturbance();
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;

  /// To be called often. Throws std::runtime_error, where it does not disturb any more.
  virtual void go_on(Crew&) {}
  /// When its last act began, by the steady clock.
  [[nodiscard]] std::int64_t acted_ns() const noexcept { return acted_ns_; }

 protected:
  void note_act() noexcept;

 private:
  std::int64_t acted_ns_ = 0;
};

/// Throws: std::runtime_error, where it cannot be done here.
[[nodiscard]] std::unique_ptr<Disturbance> disturb(Pressure pressure, const Surroundings& where,
                                                   Crew& crew);

}  // namespace penstock::bench

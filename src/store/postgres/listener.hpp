// The wake-up: LISTEN on a connection of its own. Asks for notifications only while the process
// could take more work, and finds out when it went deaf.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "penstock/bus_store.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/demand.hpp"

namespace penstock::postgres::detail {

class Database;

/// How often a listener proves that it is alive. Deaf is found after `check_every + answer_within`.
struct ListenRhythm {
  Duration check_every = std::chrono::seconds{10};
  Duration answer_within = std::chrono::seconds{5};
  /// For how long publishers notify after a listener's last word.
  Duration waiting_for = std::chrono::seconds{60};
  /// Between an end of asking for notifications and the next begin, where demand goes up and down.
  Duration pause = std::chrono::milliseconds{200};
};

/// Where a pooler stands in between nobody can listen: then `wait` hears what this process makes
/// through `database`, and nothing else. It must not outlive the database.
[[nodiscard]] std::unique_ptr<Wakeup> listen(Database& database, Demand& demand,
                                             const ListenRhythm& rhythm = {});

/// `wait` throws `unavailable` where the connection is lost or gives no answer: listen again.
class Listener final : public Wakeup {
 public:
  /// Throws: unavailable, schema.
  Listener(Database& database, Demand& demand, const ListenRhythm& rhythm);
  ~Listener() override;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  Reason wait(Duration timeout) override;
  void interrupt() override;

 private:
  using Steady = std::chrono::steady_clock;
  enum class Request { none, begin_waiting, go_on_waiting, end_waiting, check };

  void read_socket();
  void take_answer();
  void finish_request(const Result& answer);
  void tend(Steady::time_point now);
  void send(Request request, Steady::time_point now);
  [[nodiscard]] Steady::time_point next_tending() const;
  [[nodiscard]] Parameters waiting_parameters() const;
  void wait_for_something(Steady::time_point until);

  Demand& demand_;
  const ListenRhythm rhythm_;
  const std::string name_;  ///< In the table of those who wait.
  std::unique_ptr<Connection> connection_;
  std::string channel_;
  Flag interrupted_;
  Flag demand_changed_;
  bool hinted_ = false;
  bool waits_ = true;  ///< Publishers were told to notify.
  Request request_ = Request::none;
  Steady::time_point answer_due_{};
  Steady::time_point next_check_{};
  Steady::time_point may_begin_{};
};

}  // namespace penstock::postgres::detail

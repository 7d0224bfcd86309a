// See disturbance.hpp.
#include "harness/disturbance.hpp"

#include <stdexcept>

#include "harness/crew.hpp"
#include "harness/journal.hpp"
#ifdef PENSTOCK_BENCH_POSTGRES
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/session.hpp"
#endif

namespace penstock::bench {

std::string_view to_string(Pressure pressure) noexcept {
  switch (pressure) {
    case Pressure::held_transaction: return "held transaction";
    case Pressure::readers: return "4 readers";
    case Pressure::idle_sessions: return "300 idle sessions";
    case Pressure::kill: return "one kill";
    case Pressure::kills: return "a kill a second";
    case Pressure::lost_sessions: return "sessions ended";
    case Pressure::server_restart: break;
  }
  return "server restarted";
}

bool is_lasting(Pressure pressure) noexcept {
  return pressure == Pressure::held_transaction || pressure == Pressure::readers ||
         pressure == Pressure::idle_sessions;
}

bool causes_repeats(Pressure pressure) noexcept { return !is_lasting(pressure); }

Disturbance::Disturbance() { note_act(); }
Disturbance::~Disturbance() = default;
void Disturbance::note_act() noexcept { acted_ns_ = now_ns(); }

namespace {

class OneKill final : public Disturbance {
 public:
  explicit OneKill(Crew& crew) { crew.replace_dispatcher(); }
};

class Kills final : public Disturbance {
 public:
  explicit Kills(Crew& crew) { crew.replace_dispatcher(); }

  void go_on(Crew& crew) override {
    constexpr std::int64_t kEvery_ns = 1'000'000'000;
    if (now_ns() - acted_ns() < kEvery_ns) return;
    note_act();
    crew.replace_dispatcher();
  }
};

#ifdef PENSTOCK_BENCH_POSTGRES

class HeldTransaction final : public Disturbance {
 public:
  explicit HeldTransaction(const Surroundings& where) : session_(where.url) {
    // An xid, and a snapshot that stays: both keep vacuum from what dies from now on.
    session_.ask("begin isolation level repeatable read");
    session_.ask("select pg_current_xact_id()");
  }

 private:
  Session session_;
};

class Readers final : public Disturbance {
 public:
  explicit Readers(const Surroundings& where) {
    for (std::jthread& reader : readers_) {
      reader = std::jthread([this, where](const std::stop_token& stop) { read(where, stop); });
    }
  }

  void go_on(Crew&) override {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void read(const Surroundings& where, const std::stop_token& stop) noexcept {
    try {
      Session session(where.url);
      while (!stop.stop_requested()) {
        session.ask("begin isolation level repeatable read");
        session.ask("select count(*) from " + deliveries_table(where.layout));
        session.ask("select count(*) from " + events_table(where.layout));
        session.ask("commit");
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  std::mutex mutex_{};
  std::exception_ptr failure_{};
  std::array<std::jthread, 4> readers_{};
};

class IdleSessions final : public Disturbance {
 public:
  explicit IdleSessions(const Surroundings& where) {
    constexpr std::size_t kSessions = 300;
    try {
      while (sessions_.size() < kSessions) {
        sessions_.push_back(std::make_unique<Session>(where.url));
      }
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(std::string(error.what()) +
                               " – 300 more sessions are needed: raise max_connections");
    }
  }

 private:
  std::vector<std::unique_ptr<Session>> sessions_{};
};

class LostSessions final : public Disturbance {
 public:
  explicit LostSessions(const Surroundings& where) {
    const double ended = Session(where.url).number(
        "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = "
        "'penstock' and datname = current_database()");
    if (ended == 0) throw std::runtime_error("there was no session to end");
  }
};

class ServerRestart final : public Disturbance {
 public:
  explicit ServerRestart(const Surroundings& where) {
    const int status =
        std::system(  // NOLINT(cert-env33-c,concurrency-mt-unsafe): as the user says.
            where.restart_command.c_str());
    if (status != 0) {
      throw std::runtime_error(
          "the restart command ended with status " + std::to_string(status) +
          ": expected it to kill the server and to start it again: " + where.restart_command);
    }
  }
};

#endif

}  // namespace

std::unique_ptr<Disturbance> disturb(Pressure pressure, const Surroundings& where, Crew& crew) {
  if (pressure == Pressure::kill) return std::make_unique<OneKill>(crew);
  if (pressure == Pressure::kills) return std::make_unique<Kills>(crew);
#ifdef PENSTOCK_BENCH_POSTGRES
  if (is_postgres(where.url)) {
    switch (pressure) {
      case Pressure::held_transaction: return std::make_unique<HeldTransaction>(where);
      case Pressure::readers: return std::make_unique<Readers>(where);
      case Pressure::idle_sessions: return std::make_unique<IdleSessions>(where);
      case Pressure::lost_sessions: return std::make_unique<LostSessions>(where);
      case Pressure::server_restart: return std::make_unique<ServerRestart>(where);
      case Pressure::kill:
      case Pressure::kills: break;
    }
  }
#endif
  throw std::runtime_error(std::string(to_string(pressure)) + " needs PostgreSQL: give --db");
}

}  // namespace penstock::bench

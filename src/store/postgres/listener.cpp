// Listening. Nothing here waits for the server alone, but for the start: an interrupt is always
// heard.
#include "store/postgres/listener.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>

#include "store/postgres/database.hpp"
#include "store/postgres/sql.hpp"

namespace penstock::postgres::detail {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

/// What is left where nobody can listen: the hints of this process. What others publish is found by
/// polling.
class Unconnected final : public Wakeup {
 public:
  explicit Unconnected(LocalHints& hints) : hints_(hints) { hints_.add(hinted_); }
  ~Unconnected() override { hints_.remove(hinted_); }
  Unconnected(const Unconnected&) = delete;
  Unconnected& operator=(const Unconnected&) = delete;

  Reason wait(Duration timeout) override {
    std::array sources{pollfd{interrupted_.descriptor(), POLLIN, 0},
                       pollfd{hinted_.descriptor(), POLLIN, 0}};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(std::clamp<Duration>(timeout, 0us, 24h));
    ::poll(sources.data(), sources.size(), static_cast<int>(left.count()));
    if (interrupted_.take()) return Reason::interrupted;
    return hinted_.take() ? Reason::hint : Reason::timeout;
  }
  void interrupt() override { interrupted_.raise(); }

 private:
  LocalHints& hints_;
  Flag interrupted_;
  Flag hinted_;
};

}  // namespace

std::unique_ptr<Wakeup> listen(Database& database, Demand& demand, const ListenRhythm& rhythm) {
  if (database.is_pooled()) return std::make_unique<Unconnected>(database.hints());
  return std::make_unique<Listener>(database, demand, rhythm);
}

Listener::Listener(Database& database, Demand& demand, const ListenRhythm& rhythm)
    : demand_(demand),
      rhythm_(rhythm),
      name_(EventId::generate().to_string()),
      connection_(database.connect()) {
  connection_->begin_operation("listen", Stage::undone);
  channel_ = connection_->query(sql::channel).only().text(0);
  connection_->execute("listen " + quoted_identifier(channel_));
  connection_->run(sql::forget_waiting);
  (void)connection_->send(sql::mark_waiting, waiting_parameters());
  next_check_ = Steady::now() + rhythm_.check_every;
  demand_.add(demand_changed_);
}

Listener::~Listener() {
  demand_.remove(demand_changed_);
  if (!waits_ || request_ != Request::none || !connection_->is_usable()) return;
  // The server reads it before it reads that we hung up; nobody waits for its answer.
  const Parameters parameters = Parameters::of(name_);
  const std::vector<const char*> values = parameters.values();
  PQsendQueryParams(connection_->handle(), connection_->text_of(sql::unmark_waiting).c_str(),
                    parameters.count(), parameters.types(), values.data(), parameters.lengths(),
                    parameters.formats(), 1);
}

Parameters Listener::waiting_parameters() const {
  return Parameters::of(name_, rhythm_.waiting_for, channel_);
}

Wakeup::Reason Listener::wait(Duration timeout) {
  const Steady::time_point deadline = Steady::now() + std::clamp<Duration>(timeout, 0us, 24h);
  for (;;) {
    read_socket();
    if (interrupted_.take()) return Reason::interrupted;
    if (std::exchange(hinted_, false)) return Reason::hint;
    const Steady::time_point now = Steady::now();
    tend(now);
    if (now >= deadline) return Reason::timeout;
    wait_for_something(std::min(deadline, next_tending()));
  }
}

void Listener::interrupt() { interrupted_.raise(); }

void Listener::wait_for_something(Steady::time_point until) {
  const auto left = std::max<Steady::duration>(until - Steady::now(), Steady::duration::zero());
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  std::array<pollfd, 3> sources{pollfd{interrupted_.descriptor(), POLLIN, 0},
                                pollfd{demand_changed_.descriptor(), POLLIN, 0},
                                pollfd{PQsocket(connection_->handle()), POLLIN, 0}};
  ::poll(sources.data(), sources.size(), static_cast<int>(milliseconds));
  (void)demand_changed_.take();
}

void Listener::read_socket() {
  PGconn* handle = connection_->handle();
  if (PQconsumeInput(handle) == 0) connection_->fail(nullptr, "listen");
  take_answer();
  while (PGnotify* notification = PQnotifies(handle)) {
    PQfreemem(notification);
    hinted_ = true;
  }
}

void Listener::take_answer() {
  PGconn* handle = connection_->handle();
  while (request_ != Request::none && PQisBusy(handle) == 0) {
    PGresult* answer = PQgetResult(handle);
    if (answer == nullptr) {
      request_ = Request::none;
      return;
    }
    finish_request(Result(answer));
  }
}

void Listener::finish_request(const Result& answer) {
  connection_->check(answer, "listen");
  if (request_ == Request::end_waiting) {
    waits_ = false;
    may_begin_ = Steady::now() + rhythm_.pause;
    return;
  }
  if (!answer.only().boolean(0)) {
    throw Error(ErrorKind::unavailable,
                "listen: the session does not listen any more, as if something between here and "
                "the server had replaced it; listen again",
                {.operation = "listen"});
  }
  if (request_ != Request::begin_waiting) return;
  waits_ = true;
  // Whatever was published between the last claim and now was not told.
  hinted_ = true;
}

Listener::Steady::time_point Listener::next_tending() const {
  if (request_ != Request::none) return answer_due_;
  if (!waits_ && demand_.is_open()) return std::min(next_check_, may_begin_);
  return next_check_;
}

void Listener::tend(Steady::time_point now) {
  if (request_ != Request::none) {
    if (now < answer_due_) return;
    throw Error(ErrorKind::unavailable,
                "listen: the server gave no answer in time on the connection that listens; listen "
                "again",
                {.operation = "listen"});
  }
  const bool wanted = demand_.is_open();
  if (!waits_ && wanted && now >= may_begin_) {
    send(Request::begin_waiting, now);
  } else if (waits_ && !wanted) {
    send(Request::end_waiting, now);
  } else if (now >= next_check_) {
    send(waits_ ? Request::go_on_waiting : Request::check, now);
  }
}

void Listener::send(Request request, Steady::time_point now) {
  const SqlText* sql = &sql::mark_waiting;
  Parameters parameters;
  if (request == Request::end_waiting) {
    sql = &sql::unmark_waiting;
    parameters = Parameters::of(name_);
  } else if (request == Request::check) {
    sql = &sql::still_listens;
    parameters = Parameters::of(channel_);
  } else {
    parameters = waiting_parameters();
  }
  const std::vector<const char*> values = parameters.values();
  if (PQsendQueryParams(connection_->handle(), connection_->text_of(*sql).c_str(),
                        parameters.count(), parameters.types(), values.data(), parameters.lengths(),
                        parameters.formats(), 1) == 0) {
    connection_->fail(nullptr, sql->name);
  }
  request_ = request;
  answer_due_ = now + rhythm_.answer_within;
  next_check_ = now + rhythm_.check_every;
}

}  // namespace penstock::postgres::detail

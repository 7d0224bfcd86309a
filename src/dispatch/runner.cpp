// Calls handlers and turns whatever they do into the end of an attempt. This is one of the two
// places where everything is caught.
#include "dispatch/runner.hpp"

#include <exception>
#include <utility>

#include "base/mutant.hpp"
#include "dispatch/end_of_attempt.hpp"
#include "penstock/error.hpp"

namespace penstock::dispatch {
namespace {

// After a transaction could not begin or commit for reasons that are not the handler's.
constexpr Duration kAfterStoreTrouble = std::chrono::milliseconds{250};

// Ends of attempts shorter than this are handed over together with the next.
constexpr Duration kShort = std::chrono::milliseconds{1};
// An attempt that runs longer must not hold up what stands before and behind it on its thread.
constexpr Duration kLong = std::chrono::milliseconds{20};

SteadyTime now() { return std::chrono::steady_clock::now(); }

// An exception as an outcome. A thrown Outcome is the handler's own word; all else is a failure.
struct Caught {
  Outcome outcome;
  bool thrown;
};
Caught caught() {
  try {
    throw;
  } catch (const Outcome& outcome) {
    return {outcome, false};
  } catch (const std::exception& error) {
    const char* const what = error.what();  // A user's class may give none.
    return {retry(what != nullptr ? what : "the handler threw an exception without words"), true};
  } catch (...) {
    return {retry("the handler threw something that is no std::exception"), true};
  }
}

Duration ran_for(const Attempt& attempt) {
  return std::chrono::ceil<Duration>(now() - attempt.began());
}

End end_of(const Attempt& attempt, const Outcome& outcome, bool thrown, double random) {
  const Finish finish{.attempts_spent = attempt.work.attempts + 1,
                      .max_attempts = attempt.max_attempts(),
                      .stop_reason = attempt.stop_reason(),
                      .thrown = thrown};
  try {
    return end_of_attempt(outcome, finish, attempt.service.options.retry_delay, random);
  } catch (...) {
    // The user's retry_delay threw: penstock's own serves.
    return end_of_attempt(outcome, finish, default_retry_delay, random);
  }
}

// Ends a deferred attempt from whichever thread its Completion is called on.
class DeferredEnd final : public Completion::Sink {
 public:
  DeferredEnd(std::shared_ptr<Board> board, AttemptPtr attempt, double random)
      : board_(std::move(board)), attempt_(std::move(attempt)), random_(random) {}
  ~DeferredEnd() override {
    finish(retry("the handler dropped its Completion without finishing it"), true);
  }
  void finish(Outcome outcome) noexcept override { finish(outcome, false); }
  void finish(const Outcome& outcome, bool thrown) noexcept {
    if (!attempt_->claim_end()) return;
    std::vector<Ended> ended;
    ended.push_back({.attempt = attempt_,
                     .end = end_of(*attempt_, outcome, thrown, random_),
                     .ran = ran_for(*attempt_)});
    board_->end(std::move(ended));
  }

 private:
  const std::shared_ptr<Board> board_;
  const AttemptPtr attempt_;
  const double random_;
};

}  // namespace

void end_timed_out(Board& board, const AttemptPtr& attempt) {
  if (!std::holds_alternative<Handler::Deferred>(attempt->service.handler.function())) return;
  if (!attempt->claim_end()) return;
  std::vector<Ended> ended;
  ended.push_back(
      {.attempt = attempt,
       .end = end_of(*attempt, retry("the Completion was not finished in time"), true, 0.5),
       .ran = ran_for(*attempt)});
  board.end(std::move(ended));
}

void Runner::run() {
  for (;;) {
    std::vector<Run> runs = board_->take();
    if (runs.empty()) return;
    {
      base::MutexLock lock(mutex_);
      for (Run& run : runs) todo_.push_back(std::move(run));
    }
    Run run;
    while (next_run(run)) run_all(std::exchange(run, {}));
    hand_over();
  }
}

bool Runner::next_run(Run& run) {
  base::MutexLock lock(mutex_);
  current_began_ = SteadyTime::max();
  if (todo_.empty()) return false;
  run = std::move(todo_.front());
  todo_.pop_front();
  return true;
}

void Runner::hand_over() {
  std::vector<Ended> ended;
  {
    base::MutexLock lock(mutex_);
    ended.swap(ended_);
  }
  board_->end(std::move(ended));
}

void Runner::unstick(SteadyTime now) {
  std::deque<Run> behind;
  {
    base::MutexLock lock(mutex_);
    if (current_began_ == SteadyTime::max() || now - current_began_ < kLong) return;
    behind.swap(todo_);
  }
  hand_over();
  if (!behind.empty()) board_->give_back(std::move(behind));
}

void Runner::run_all(Run run) {
  for (std::size_t i = 0; i < run.size(); ++i) {
    const Next next = run_one(run, i);
    if (next == Next::parked) return;
    if (next == Next::go_on) continue;
    // The head of the run was not completed: what follows it must wait for it.
    for (std::size_t k = i + 1; k < run.size(); ++k) finish(run[k], {.kind = End::Kind::release});
    return;
  }
}

Runner::Next Runner::run_one(Run& run, std::size_t index) {
  const AttemptPtr& attempt = run[index];
  if (attempt->ended()) return Next::release_rest;  // A shutdown released it while it waited here.
  const auto begins = now();
  // Without its lease, another worker may have it by now: give it back in case nobody has.
  const bool lease_is_gone =
      attempt->stop_reason() == StopReason::lease_lost || begins >= attempt->lease_until();
  if (board_->stopping() || lease_is_gone) return finish(attempt, {.kind = End::Kind::release});

  attempt->begin(begins);
  {
    base::MutexLock lock(mutex_);
    current_began_ = begins;
  }
  const auto& function = attempt->service.handler.function();
  if (const auto* plain = std::get_if<Handler::Plain>(&function)) {
    return run_plain(*plain, attempt);
  }
  if (const auto* transactional = std::get_if<Handler::Transactional>(&function)) {
    return run_transactional(*transactional, attempt);
  }
  run_deferred(std::get<Handler::Deferred>(function), run, index);
  return Next::parked;
}

End Runner::judge(const Attempt& attempt, const Outcome& outcome, bool thrown) {
  return end_of(attempt, outcome, thrown, random_.fraction());
}

Runner::Next Runner::finish(const AttemptPtr& attempt, End end) {
  const bool way_is_free = end.kind == End::Kind::complete || end.kind == End::Kind::committed ||
                           end.kind == End::Kind::bury;
  if (!attempt->claim_end()) return Next::release_rest;  // A shutdown gave it up while it ran.
  const bool began = attempt->began() != SteadyTime{};
  const Duration ran = began ? ran_for(*attempt) : Duration::zero();
  {
    base::MutexLock lock(mutex_);
    ended_.push_back({.attempt = attempt, .end = std::move(end), .ran = ran});
    if (ran < kShort) return way_is_free ? Next::go_on : Next::release_rest;
  }
  hand_over();
  return way_is_free ? Next::go_on : Next::release_rest;
}

Runner::Next Runner::run_plain(const Handler::Plain& handler, const AttemptPtr& attempt) {
  End end;
  try {
    end = judge(*attempt, handler(attempt->delivery()), false);
  } catch (...) {
    const Caught what = caught();
    end = judge(*attempt, what.outcome, what.thrown);
  }
  return finish(attempt, std::move(end));
}

Runner::Next Runner::run_transactional(const Handler::Transactional& handler,
                                       const AttemptPtr& attempt) {
  std::unique_ptr<OwnedTransaction> transaction;
  try {
    transaction = begin_();
  } catch (const std::exception& error) {
    // Not the handler's failure: no attempt is spent.
    return finish(attempt, {.kind = End::Kind::reschedule,
                            .delay = kAfterStoreTrouble,
                            .charge = Charge::keep,
                            .text = error.what()});
  }
  End end;
  try {
    end = judge(*attempt, handler(attempt->delivery(), *transaction), false);
  } catch (...) {
    const Caught what = caught();
    // A transaction that outlasts its lease keeps the lease from being extended, on a store with
    // one writer. That is its own doing: released for nothing, it would do so for ever.
    const bool own_doing = attempt->stop_reason() == StopReason::lease_lost;
    end = judge(*attempt, what.outcome, what.thrown && !own_doing);
  }
  if (end.kind == End::Kind::complete) end = commit(attempt, *transaction);
  transaction.reset();  // Rolls back what was not committed, before the end can be recorded.
  return finish(attempt, std::move(end));
}

End Runner::commit(const AttemptPtr& attempt, OwnedTransaction& transaction) {
  try {
    const Token token = attempt->work.token;
    const auto verdicts = source_.complete({&token, 1}, &transaction);
    if (verdicts.front() == Verdict::lost && !base::is_mutant("commit_lost_lease")) {
      return {.kind = End::Kind::lost};
    }
    transaction.commit();
    return {.kind = End::Kind::committed};
  } catch (const Error& error) {
    // In doubt: were it committed, the row is gone and this release finds the token lost.
    if (error.kind() == ErrorKind::in_doubt) return {.kind = End::Kind::release};
    if (error.kind() == ErrorKind::usage) {
      // The handler ended the transaction itself, or made the database roll it back.
      return judge(*attempt,
                   retry(std::string("the handler left no transaction to commit: ") + error.what()),
                   false);
    }
    return {.kind = End::Kind::reschedule,
            .delay = kAfterStoreTrouble,
            .charge = Charge::keep,
            .text = error.what()};
  }
}

void Runner::run_deferred(const Handler::Deferred& handler, Run& run, std::size_t index) {
  hand_over();
  const AttemptPtr attempt = run[index];
  board_->park(attempt, Run(run.begin() + static_cast<std::ptrdiff_t>(index) + 1, run.end()));
  auto sink = std::make_shared<DeferredEnd>(board_, attempt, random_.fraction());
  try {
    handler(attempt->delivery(), Completion{sink});
  } catch (...) {
    const Caught what = caught();
    sink->finish(what.outcome, what.thrown);
  }
}

}  // namespace penstock::dispatch

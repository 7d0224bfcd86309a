// The board: what is in hand, in numbers and lists. Whoever changes it here wakes whom it concerns.
#include "dispatch/board.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/invariant.hpp"

namespace penstock::dispatch {
namespace {

// As many ended attempts are worth a call of their own, window or not.
constexpr std::size_t kFullEnough = 512;
// Of handlers quicker than this a thread is given several at a time: waking another costs more than
// running one. What stands behind one that turns out slow is given back.
constexpr Duration kQuick{100};
constexpr Duration::rep kMostRunsAtOnce = 32;
constexpr Duration kAtTheGate = std::chrono::milliseconds{5};
constexpr Duration kFirstSuspectPatience = std::chrono::milliseconds{500};
constexpr Duration kLastSuspectPatience = std::chrono::seconds{30};

bool waits_for_others(const Work& work) { return work.sequence.has_value(); }

}  // namespace

Board::Board(const DispatcherOptions& options, std::span<const std::unique_ptr<Route>> routes)
    : concurrency_(options.concurrency),
      batch_(options.batch),
      max_unrecorded_(options.max_unrecorded),
      completion_window_(options.completion_window),
      routes_(routes) {}

// --- claiming ---

claim::Load Board::load() const {
  claim::Load load{.concurrency = concurrency_,
                   .batch = batch_,
                   .in_hand = in_hand_.size(),
                   .unfinished = unfinished_,
                   .waiting = waiting_attempts_,
                   .max_unrecorded = max_unrecorded_,
                   .must_be_empty_first = waits_for_empty_hands()};
  for (const auto& route : routes_) load.pace = std::max(load.pace, route->pace);
  return load;
}

bool Board::waits_for_empty_hands() const {
  if (suspects_in_hand_ > 0 || leases_distrusted_) return true;
  return suspects_wait_ && std::chrono::steady_clock::now() < suspects_waited_for_until_;
}

void Board::note_suspects(bool wait) {
  suspects_wait_ = wait;
  suspect_patience_ =
      wait ? std::clamp(suspect_patience_ * 2, kFirstSuspectPatience, kLastSuspectPatience)
           : Duration::zero();
  suspects_waited_for_until_ = std::chrono::steady_clock::now() + suspect_patience_;
}

bool Board::claim_wanted() const {
  return look_ || (in_hand_.empty() && last_idle_claim_ < idle_claim_wanted_);
}

std::vector<HandlerRoom> Board::rooms() {
  std::vector<HandlerRoom> rooms;
  rooms.reserve(routes_.size());
  const SteadyTime now = std::chrono::steady_clock::now();
  next_token_at_ = SteadyTime::max();
  for (const auto& route : routes_) {
    const std::size_t most = route->concurrency == 0 ? concurrency_ + batch_ : route->concurrency;
    std::size_t room = most > route->unfinished ? most - route->unfinished : 0;
    route->was_full = route->concurrency != 0 && room < batch_;
    if (route->rate && room > 0) {
      const std::size_t tokens = route->rate->available(now);
      if (tokens < room) next_token_at_ = std::min(next_token_at_, route->rate->next_at(now));
      room = std::min(room, tokens);
    }
    if (room > 0) rooms.push_back({.handler = route->name, .room = room});
  }
  return rooms;
}

std::optional<ClaimOrder> Board::next_claim() {
  if (!claim_wanted()) return std::nullopt;
  auto plan = claim::plan_claim(load());
  if (!plan) return std::nullopt;
  ClaimOrder order{.plan = *plan, .as_new_incarnation = leases_distrusted_, .rooms = rooms()};
  if (order.rooms.empty()) return std::nullopt;
  if (in_hand_.empty()) {
    presence_ = ProcessGate::instance().enter();
    const bool must_be_alone = suspects_wait_ && waits_for_empty_hands();
    if (must_be_alone && presence_ != ProcessGate::Presence::alone) leave_if_empty();
    if (presence_ == ProcessGate::Presence::absent) return std::nullopt;
  }
  if (presence_ != ProcessGate::Presence::alone) order.plan.suspects = SuspectPolicy::leave;
  look_ = false;
  leases_distrusted_ = false;
  claiming_from_empty_ = in_hand_.empty();
  if (claiming_from_empty_) ++claims_from_empty_;
  return order;
}

SteadyTime Board::look_again_at(SteadyTime look_at_latest) const {
  const SteadyTime now = std::chrono::steady_clock::now();
  // Kept out by another dispatcher of this process, which does not know us.
  if (claim_wanted() && in_hand_.empty()) return now + kAtTheGate;
  if (suspects_wait_ && now < suspects_waited_for_until_) return suspects_waited_for_until_;
  // No room: whoever makes some wakes us, or the next token of a limited rate does.
  return now >= look_at_latest ? next_token_at_ : std::min(look_at_latest, next_token_at_);
}

std::optional<ClaimOrder> Board::await_claim(SteadyTime look_at_latest) {
  base::MutexLock lock(mutex_);
  for (;;) {
    if (stopping_) return std::nullopt;
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now >= look_at_latest || now >= next_token_at_) look_ = true;
    if (auto order = next_claim()) return order;
    const SteadyTime again = look_again_at(look_at_latest);
    if (again == SteadyTime::max()) {
      claimer_.wait(lock);
    } else {
      claimer_.wait_until(lock, again);
    }
  }
}

void Board::leave_if_empty() {
  if (in_hand_.empty()) presence_ = ProcessGate::instance().leave(presence_);
}

Board::~Board() {
  base::MutexLock lock(mutex_);
  presence_ = ProcessGate::instance().leave(presence_);
}

Route& Board::route_of(const std::string& name) const {
  const auto found =
      std::ranges::find_if(routes_, [&](const auto& route) { return route->name == name; });
  PENSTOCK_INVARIANT(found != routes_.end());
  return **found;
}

void Board::put_in_hand(const AttemptPtr& attempt) {
  attempt->slot = in_hand_.size();
  in_hand_.push_back(attempt);
  if (attempt->route.rate) attempt->route.rate->take(1);
  ++unfinished_;
  ++attempt->route.unfinished;
  if (attempt->work.suspect) ++suspects_in_hand_;
}

void Board::take_out_of_hand(const AttemptPtr& attempt) {
  in_hand_.back()->slot = attempt->slot;
  std::swap(in_hand_[attempt->slot], in_hand_.back());
  in_hand_.pop_back();
  if (attempt->work.suspect) --suspects_in_hand_;
}

void Board::add(Claimed claimed, SteadyTime lease_until, bool was_full) {
  // Runs are built before the lock is taken: allocation is the larger part of the work. A store
  // gives the deliveries of a key in order, but not always side by side.
  std::vector<Run> runs;
  runs.reserve(claimed.work.size());
  std::map<std::pair<const Route*, std::string_view>, std::size_t> runs_by_key;
  for (Work& work : claimed.work) {
    Route& route = route_of(work.handler);
    auto attempt = std::make_shared<Attempt>(std::move(work), route, lease_until);
    // Attempts at jobs of one key may overlap.
    const bool has_turn = attempt->work.sequence && attempt->work.event && attempt->work.event->key;
    if (has_turn) {
      const auto [run, is_new] =
          runs_by_key.try_emplace({&route, *attempt->work.event->key}, runs.size());
      if (!is_new) {
        runs[run->second].push_back(std::move(attempt));
        continue;
      }
    }
    runs.push_back({std::move(attempt)});
  }

  base::MutexLock lock(mutex_);
  const std::size_t count = claimed.work.size();
  note_suspects(claimed.suspects_wait);
  // Zero: something is due and was left for another worker, this once.
  const bool something_is_due = claimed.suspects_wait || claimed.next_due_in == Duration::zero();
  if (was_full || something_is_due) look_ = true;
  if (count == 0 && claiming_from_empty_ && !something_is_due) {
    last_idle_claim_ = claims_from_empty_;
    waiters_.notify_all();
  }
  if (in_hand_.empty() && count > 0) waiters_.notify_all();
  for (Run& run : runs) {
    for (const AttemptPtr& attempt : run) put_in_hand(attempt);
    if (stopping_) {
      release_run(run);
    } else {
      waiting_attempts_ += run.size();
      waiting_.push_back(std::move(run));
    }
  }
  if (suspects_in_hand_ == 0) presence_ = ProcessGate::instance().share(presence_);
  leave_if_empty();
  if (idle_threads_ > 0 && !waiting_.empty()) threads_.notify_one();
}

void Board::claim_failed() {
  base::MutexLock lock(mutex_);
  look_ = true;
  leave_if_empty();
}

bool Board::pause(Duration delay) {
  const auto until = std::chrono::steady_clock::now() + delay;
  base::MutexLock lock(mutex_);
  while (!stopping_) {
    if (waiters_.wait_until(lock, until) == std::cv_status::timeout) return !stopping_;
  }
  return false;
}

void Board::hint() {
  base::MutexLock lock(mutex_);
  look_ = true;
  wake_claimer();
}

void Board::wake_claimer() {
  if (claim_wanted() || stopping_) claimer_.notify_one();
}

// --- running ---

std::vector<Run> Board::take() {
  base::MutexLock lock(mutex_);
  while (waiting_.empty()) {
    if (closed_) return {};
    ++idle_threads_;
    threads_.wait(lock);
    --idle_threads_;
  }
  std::size_t most = 1;
  if (const Duration pace = load().pace; pace > Duration::zero() && pace < kQuick) {
    most = std::min(waiting_.size(),
                    static_cast<std::size_t>(std::min(kQuick / pace, kMostRunsAtOnce)));
  }
  std::vector<Run> runs;
  runs.reserve(most);
  for (std::size_t i = 0; i < most; ++i) {
    waiting_attempts_ -= waiting_.front().size();
    runs.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  if (!waiting_.empty() && idle_threads_ > 0) threads_.notify_one();
  // What was waiting may have held back a claim.
  wake_claimer();
  return runs;
}

void Board::park(const AttemptPtr& head, Run followers) {
  base::MutexLock lock(mutex_);
  head->followers = std::move(followers);
}

void Board::give_back(std::deque<Run> runs) {
  base::MutexLock lock(mutex_);
  while (!runs.empty()) {
    if (stopping_) {
      release_run(runs.back());
    } else {
      waiting_attempts_ += runs.back().size();
      waiting_.push_front(std::move(runs.back()));
    }
    runs.pop_back();
  }
  if (idle_threads_ > 0 && !waiting_.empty()) threads_.notify_one();
}

void Board::account_end(Ended& ended) {
  Route& route = ended.attempt->route;
  --unfinished_;
  --route.unfinished;
  if (route.was_full) look_ = true;
  if (ended.ran > Duration::zero()) {
    // An attempt ten times as long as usual shows at once; shorter ones bring the pace down slowly.
    route.pace = std::max(ended.ran / 10, (route.pace * 15 + ended.ran) / 16);
    if (route.pace == Duration::zero()) route.pace = Duration{1};
  }
}

void Board::release_run(Run& run) {
  for (AttemptPtr& attempt : run) {
    if (!attempt->claim_end()) continue;
    Ended ended{.attempt = std::move(attempt), .end = {.kind = End::Kind::release}};
    account_end(ended);
    if (ended_.empty()) first_ended_ = std::chrono::steady_clock::now();
    ended_.push_back(std::move(ended));
  }
  if (unfinished_ == 0) waiters_.notify_all();
  finisher_.notify_one();
}

void Board::settle_followers(Run followers, End::Kind head_end) {
  if (followers.empty()) return;
  const bool head_is_out_of_the_way = head_end == End::Kind::complete ||
                                      head_end == End::Kind::committed ||
                                      head_end == End::Kind::bury;
  if (stopping_ || !head_is_out_of_the_way) {
    release_run(followers);
    return;
  }
  waiting_attempts_ += followers.size();
  waiting_.push_front(std::move(followers));
  if (idle_threads_ > 0) threads_.notify_one();
}

void Board::end(std::vector<Ended> ended) {
  if (ended.empty()) return;
  base::MutexLock lock(mutex_);
  if (ended_.empty()) first_ended_ = std::chrono::steady_clock::now();
  for (Ended& one : ended) {
    account_end(one);
    Run followers = std::exchange(one.attempt->followers, {});
    const End::Kind kind = one.end.kind;
    ended_.push_back(std::move(one));
    settle_followers(std::move(followers), kind);
  }
  if (unfinished_ == 0) waiters_.notify_all();
  finisher_.notify_one();
  wake_claimer();
}

// --- finishing ---

std::vector<Ended> Board::collect() {
  base::MutexLock lock(mutex_);
  for (;;) {
    if (ended_.empty()) {
      if (closed_ && unfinished_ == 0) return {};
      finisher_.wait(lock);
      continue;
    }
    const auto due = first_ended_ + completion_window_;
    const bool nobody_to_wait_for = unfinished_ == 0 || closed_;
    if (nobody_to_wait_for || ended_.size() >= kFullEnough ||
        std::chrono::steady_clock::now() >= due) {
      return std::exchange(ended_, {});
    }
    finisher_.wait_until(lock, due);
  }
}

void Board::recorded(std::span<const Ended> ended) {
  base::MutexLock lock(mutex_);
  for (const Ended& one : ended) {
    take_out_of_hand(one.attempt);
    const bool due_again =
        one.end.kind == End::Kind::release || one.end.kind == End::Kind::reschedule;
    // The next of its key may be due now; so may the work itself.
    if (due_again || waits_for_others(one.attempt->work)) look_ = true;
  }
  if (in_hand_.empty()) waiters_.notify_all();
  leave_if_empty();
  wake_claimer();
}

// --- keeping, idling, stopping ---

std::vector<AttemptPtr> Board::in_hand() const {
  base::MutexLock lock(mutex_);
  return in_hand_;
}

void Board::distrust_leases() {
  base::MutexLock lock(mutex_);
  leases_distrusted_ = true;
}

bool Board::await_in_hand() {
  base::MutexLock lock(mutex_);
  while (in_hand_.empty() && !closed_) waiters_.wait(lock);
  return !closed_;
}

bool Board::await_closed(Duration delay) {
  const auto until = std::chrono::steady_clock::now() + delay;
  base::MutexLock lock(mutex_);
  while (!closed_) {
    if (waiters_.wait_until(lock, until) == std::cv_status::timeout) break;
  }
  return closed_;
}

bool Board::await_idle() {
  base::MutexLock lock(mutex_);
  const std::uint64_t wanted = claims_from_empty_ + 1;
  idle_claim_wanted_ = std::max(idle_claim_wanted_, wanted);
  wake_claimer();
  while (last_idle_claim_ < wanted && !stopping_) waiters_.wait(lock);
  return !stopping_;
}

void Board::stop_claiming() {
  base::MutexLock lock(mutex_);
  stopping_ = true;
  stop_seen_.store(true, std::memory_order_release);
  while (!waiting_.empty()) {
    Run run = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_attempts_ -= run.size();
    release_run(run);
  }
  claimer_.notify_all();
  waiters_.notify_all();
  finisher_.notify_one();
}

bool Board::await_finished(SteadyTime deadline) {
  base::MutexLock lock(mutex_);
  while (unfinished_ > 0) {
    if (waiters_.wait_until(lock, deadline) == std::cv_status::timeout) return unfinished_ == 0;
  }
  return true;
}

bool Board::await_recorded(SteadyTime deadline) {
  base::MutexLock lock(mutex_);
  while (!in_hand_.empty()) {
    if (waiters_.wait_until(lock, deadline) == std::cv_status::timeout) return in_hand_.empty();
  }
  return true;
}

void Board::release_unfinished() {
  base::MutexLock lock(mutex_);
  Run unfinished;
  for (const AttemptPtr& attempt : in_hand_) {
    if (!attempt->ended()) unfinished.push_back(attempt);
  }
  release_run(unfinished);
}

void Board::close() {
  base::MutexLock lock(mutex_);
  closed_ = true;
  waiters_.notify_all();
  threads_.notify_all();
  finisher_.notify_all();
}

}  // namespace penstock::dispatch

// Claim: look without writing; then, in one immediate transaction, take over what expired, pick due
// deliveries lane by lane, record them, lease their lanes and hand back the idle ones.
#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/invariant.hpp"
#include "base/mutant.hpp"
#include "penstock/error.hpp"
#include "store/sqlite/bus/sqlite_bus.hpp"
#include "store/sqlite/bus/stored_event.hpp"
#include "store/sqlite/bus/takeover.hpp"
#include "store/sqlite/json.hpp"
#include "store/sqlite/sql.hpp"
#include "work/due_time.hpp"
#include "work/token.hpp"

namespace penstock::sqlite::detail {
namespace {

constexpr std::int32_t kLastLane = kLanes - 1;

/// A due delivery whose event is damaged.
struct Unreadable {
  DeliveryId id{};
  std::string reason{};
};

/// One claim, on one connection: what it may take, and what it has.
class Claiming {
 public:
  Claiming(Connection& connection, const ClaimRequest& request, Timestamp now)
      : connection_(connection), request_(request), now_(now) {
    std::vector<std::string> names;
    for (const HandlerRoom& handler : request.handlers) names.emplace_back(handler.handler);
    named_ = json_of(names);
    Query query =
        connection.query(sql::active_handlers, named_, base::is_mutant("paused_is_claimed"));
    while (query.next()) active_.emplace_back(query.text(0));
    for (const HandlerRoom& handler : request.handlers) rooms_[handler.handler] = handler.room;
  }

  [[nodiscard]] const std::vector<Work>& work() const noexcept { return work_; }
  [[nodiscard]] bool is_full() const noexcept { return work_.size() >= request_.limit; }

  /// Whether `handler` has due work, or a due suspect, that this worker may take.
  [[nodiscard]] bool has_due(std::string_view handler, bool suspect) {
    if (!is_active(handler)) return false;
    Query query = pick(handler, suspect, {.first = 0, .last = kLastLane, .limit = 1});
    return query.next();
  }

  [[nodiscard]] bool has_any_due() {
    return std::ranges::any_of(active_,
                               [&](const std::string& handler) { return has_due(handler, false); });
  }

  /// Takes due deliveries of `handler`, from `first_lane` upwards and then from lane 0. Answers the
  /// last lane taken from.
  std::optional<LaneId> take(std::string_view handler, std::int32_t first_lane) {
    if (!is_active(handler)) return std::nullopt;
    std::optional<LaneId> last = take_between(handler, {.first = first_lane, .last = kLastLane});
    if (first_lane == 0 || room_of(handler) == 0) return last;
    const std::optional<LaneId> wrapped =
        take_between(handler, {.first = 0, .last = first_lane - 1});
    return wrapped ? wrapped : last;
  }

  bool take_suspect(std::string_view handler) {
    if (!is_active(handler) || room_of(handler) == 0) return false;
    Query query = pick(handler, true, {.first = 0, .last = kLastLane, .limit = 1});
    return query.next() && add(query);
  }

  /// Adds what stands right behind the picked heads of keys, as far as limit and rooms allow.
  void follow_keys() {
    if (request_.run_limit < 2 || heads_.empty() || is_full()) return;
    Query query = connection_.query(sql::runs, json_of(heads_), request_.run_limit, now_);
    const std::size_t picked = work_.size();
    while (!is_full() && query.next()) {
      if (room_of(query.text(2)) == 0) continue;
      if (add(query)) followers_of_.emplace(query.integer(15), work_.size() - 1);
    }
    put_behind_their_heads(picked);
  }

  /// Records the batch and leases its lanes; fills in the epochs of the tokens.
  void record() {
    if (work_.empty()) return;
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> lanes;
    for (const Work& item : work_) {
      ids.push_back(item.token.work_id);
      lanes.push_back(work::lane_of(item.token).value);
    }
    if (!base::is_mutant("forget_in_flight")) {
      connection_.run(sql::record_in_flight, json_of(ids));
    }
    std::ranges::sort(lanes);
    const auto repeated = std::ranges::unique(lanes);
    lanes.erase(repeated.begin(), repeated.end());
    std::array<std::int64_t, kLanes> epochs{};
    Query query = connection_.query(sql::acquire_lanes, request_.worker.value(), now_,
                                    work::due_after(now_, request_.lease), json_of(lanes));
    while (query.next()) epochs.at(static_cast<std::size_t>(query.integer(0))) = query.integer(1);
    for (Work& item : work_) {
      item.token.fence[1] = epochs.at(static_cast<std::size_t>(item.token.fence[0]));
      PENSTOCK_INVARIANT(item.token.fence[1] > 0);
    }
  }

  [[nodiscard]] std::optional<Duration> next_due_in() {
    std::optional<Timestamp> next;
    for (const std::string& handler : active_) {
      for (const bool suspect : {false, true}) {
        Query query = connection_.query(sql::next_due, handler, suspect, now_);
        if (!query.next() || query.is_null(0)) continue;
        if (!next || query.time(0) < *next) next = query.time(0);
      }
    }
    if (!next) return std::nullopt;
    return *next - now_;
  }

  [[nodiscard]] std::vector<Work> give_work() { return std::move(work_); }
  [[nodiscard]] std::vector<Unreadable> give_unreadable() { return std::move(unreadable_); }

 private:
  struct Range {
    std::int32_t first = 0;
    std::int32_t last = kLastLane;
    std::size_t limit = 0;
  };

  [[nodiscard]] bool is_active(std::string_view handler) const {
    return std::ranges::find(active_, handler) != active_.end();
  }

  [[nodiscard]] std::size_t room_of(std::string_view handler) const {
    return std::min(rooms_.at(handler), request_.limit - work_.size());
  }

  [[nodiscard]] Query pick(std::string_view handler, bool suspect, const Range& range) {
    return connection_.query(sql::pick, handler, suspect, range.first, range.last,
                             request_.worker.value(), now_, range.limit, named_);
  }

  std::optional<LaneId> take_between(std::string_view handler, Range range) {
    range.limit = room_of(handler);
    std::optional<LaneId> last;
    Query query = pick(handler, false, range);
    while (query.next()) {
      if (add(query)) last = work::lane_of(work_.back().token);
    }
    return last;
  }

  // Runs stand together in the batch, so that it can be cut anywhere into few parts.
  void put_behind_their_heads(std::size_t picked) {
    if (work_.size() == picked) return;
    std::vector<Work> ordered;
    ordered.reserve(work_.size());
    for (std::size_t i = 0; i < picked; ++i) {
      const auto [first, last] = followers_of_.equal_range(work_[i].token.work_id);
      ordered.push_back(std::move(work_[i]));
      for (auto at = first; at != last; ++at) ordered.push_back(std::move(work_[at->second]));
    }
    work_ = std::move(ordered);
  }

  // Of a row of pick.sql or runs.sql. The epoch is known when the lane is leased. False: the row
  // cannot be read, which must stop nothing but itself.
  bool add(const Query& row) {
    const DeliveryId id{row.integer(0)};
    std::shared_ptr<const Event>& event = events_[row.integer(8)];
    try {
      if (!event) event = std::make_shared<const Event>(stored_event(row, 9));
    } catch (const Error& error) {
      unreadable_.push_back({id, error.what()});
      return false;
    }
    const LaneId lane{static_cast<std::int32_t>(row.integer(1))};
    auto room = rooms_.find(row.text(2));
    PENSTOCK_INVARIANT(room != rooms_.end() && room->second > 0);
    --room->second;
    if (!row.is_null(3)) heads_.push_back(id.value);
    work_.push_back({.token = work::lane_token(id, lane, Epoch{}, row.integer(5)),
                     .handler = std::string(row.text(2)),
                     .event = event,
                     .sequence = row.optional_integer(4),
                     .attempts = static_cast<int>(row.integer(6)),
                     .suspect = row.integer(7) != 0,
                     .published_at = row.time(13)});
    return true;
  }

  Connection& connection_;
  const ClaimRequest& request_;
  const Timestamp now_;
  std::string named_;  ///< Every handler of the request, as JSON.
  std::vector<std::string> active_;
  std::map<std::string_view, std::size_t, std::less<>> rooms_;
  std::vector<Work> work_;
  std::vector<Unreadable> unreadable_;
  std::vector<std::int64_t> heads_;
  std::multimap<std::int64_t, std::size_t> followers_of_;  ///< Head's id to places in work_.
  std::unordered_map<std::int64_t, std::shared_ptr<const Event>> events_;
};

/// What a look without writing tells.
struct Look {
  bool due = false;
  bool suspect_due = false;
  bool takeover_due = false;
  bool idle_lane_held = false;
  std::optional<Duration> next_due_in{};
};

Look look(Connection& connection, const ClaimRequest& request, Timestamp now) {
  Claiming claiming{connection, request, now};
  Look found;
  for (const HandlerRoom& handler : request.handlers) {
    if (handler.room == 0) continue;
    found.due = found.due || claiming.has_due(handler.handler, false);
    found.suspect_due = found.suspect_due || claiming.has_due(handler.handler, true);
    if (found.due && found.suspect_due) break;
  }
  Query query = connection.query(sql::lanes_to_tend, request.worker.value(), now);
  if (query.next()) {
    found.takeover_due = query.integer(0) != 0 && !base::is_mutant("skip_takeover");
    found.idle_lane_held = query.integer(1) != 0;
  }
  if (!found.due) found.next_due_in = claiming.next_due_in();
  return found;
}

void check_request(const ClaimRequest& request) {
  if (request.lease <= Duration::zero()) {
    throw Error(ErrorKind::usage, "the lease of a claim must be longer than zero",
                {.operation = "claim", .field = "lease"});
  }
}

}  // namespace

std::vector<Turns::Turn> Turns::order(std::span<const HandlerRoom> handlers) {
  base::MutexLock lock(mutex_);
  std::vector<std::pair<std::uint64_t, Turn>> waiting;
  for (std::size_t place = 0; place < handlers.size(); ++place) {
    if (handlers[place].room == 0) continue;
    const auto past = past_.find(handlers[place].handler);
    const Past known = past == past_.end() ? Past{} : past->second;
    waiting.emplace_back(known.served, Turn{.place = place, .first_lane = known.next_lane});
  }
  // By place where none was served yet: std::stable_sort warns under clang 19.
  std::ranges::sort(waiting, [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.place) < std::tie(b.first, b.second.place);
  });
  std::vector<Turn> turns;
  turns.reserve(waiting.size());
  for (const auto& [served, turn] : waiting) turns.push_back(turn);
  return turns;
}

void Turns::served(std::string_view handler, LaneId last_lane) {
  base::MutexLock lock(mutex_);
  past_.insert_or_assign(std::string(handler),
                         Past{.served = ++clock_, .next_lane = (last_lane.value + 1) % kLanes});
}

Claimed SqliteBus::claim(const ClaimRequest& request) {
  check_request(request);
  const Look found = database_.peek(
      "claim", [&](Connection& connection) { return look(connection, request, database_.now()); });
  const bool take_suspect = found.suspect_due && request.suspects == SuspectPolicy::take_alone;
  if (!found.due && !take_suspect && !found.takeover_due && !found.idle_lane_held) {
    return {.suspects_wait = found.suspect_due, .next_due_in = found.next_due_in};
  }
  std::vector<Unreadable> unreadable;
  Claimed result = database_.write("claim", [&](Connection& connection) {
    const Timestamp now = database_.now();
    take_over_expired(connection, now);
    Claiming claiming{connection, request, now};
    const std::vector<Turns::Turn> turns = turns_.order(request.handlers);
    Claimed claimed;
    for (const Turns::Turn& turn : turns) {
      const std::string_view handler = request.handlers[turn.place].handler;
      if (request.suspects == SuspectPolicy::leave) {
        claimed.suspects_wait = claimed.suspects_wait || claiming.has_due(handler, true);
      } else if (claiming.take_suspect(handler)) {
        break;
      }
    }
    const bool alone = !claiming.work().empty();
    for (const Turns::Turn& turn : turns) {
      if (alone || claiming.is_full()) break;
      const std::string_view handler = request.handlers[turn.place].handler;
      const std::optional<LaneId> last = claiming.take(handler, turn.first_lane);
      if (last) turns_.served(handler, *last);
    }
    if (!alone) claiming.follow_keys();
    claiming.record();
    connection.run(sql::hand_back, request.worker.value());
    if (!claiming.is_full()) claimed.next_due_in = claiming.next_due_in();
    if (claiming.work().empty() && found.idle_lane_held && claiming.has_any_due()) {
      claimed.next_due_in = Duration::zero();  // It was left for another worker, this once.
    }
    claimed.work = claiming.give_work();
    unreadable = claiming.give_unreadable();
    return claimed;
  });
  try {
    for (const Unreadable& damaged : unreadable) {
      bury_selected({.delivery_id = damaged.id}, "its event cannot be read: " + damaged.reason);
      result.next_due_in = Duration::zero();  // What stands behind it may be due.
    }
  } catch (const Error& error) {
    // The claim has committed. Whoever called must know that it holds more than it was told.
    throw Error(ErrorKind::in_doubt,
                std::string("claim: something unreadable could not be buried: ") + error.what());
  }
  return result;
}

void SqliteBus::relinquish(const WorkerId& worker) {
  database_.write("relinquish",
                  [&](Connection& connection) { connection.run(sql::hand_back, worker.value()); });
}

}  // namespace penstock::sqlite::detail

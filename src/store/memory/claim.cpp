// Taking due work: expired leases first, then the oldest waiting deliveries, lane by lane.
//
// A lane gives all that is due in it to one claim, so a worker holds few lanes; the lane whose head
// has waited longest comes first, so none waits for ever.
#include <algorithm>
#include <bitset>
#include <functional>

#include "base/mutant.hpp"
#include "store/memory/bus.hpp"
#include "work/delivery_state.hpp"
#include "work/due_time.hpp"
#include "work/token.hpp"

namespace penstock::memory {
namespace {

struct Wanted {
  HandlerRecord* handler;
  std::size_t room;
};

struct Candidate {
  Waiting head;
  std::size_t lane;
  std::size_t wanted;  ///< Index of its Wanted.

  friend bool operator<(const Candidate& a, const Candidate& b) noexcept { return b.head < a.head; }
  friend bool operator>(const Candidate& a, const Candidate& b) noexcept { return b < a; }
};

/// Keeps the `most` oldest, the youngest of them in front.
void keep_oldest(std::vector<Candidate>& kept, const Candidate& candidate, std::size_t most) {
  if (kept.size() == most) {
    if (!(candidate.head < kept.front().head)) return;
    std::ranges::pop_heap(kept, std::greater<>{});
    kept.pop_back();
  }
  kept.push_back(candidate);
  std::ranges::push_heap(kept, std::greater<>{});
}

bool is_active(const HandlerRecord& handler) {
  return handler.subscription &&
         (!handler.subscription->paused || base::is_mutant("paused_is_claimed"));
}

}  // namespace

struct MemoryBus::Claiming {
  const ClaimRequest& request;
  Timestamp now;
  std::vector<Wanted> wanted{};
  std::vector<const HandlerRecord*> others{};  ///< Handlers that other workers may wait for.
  std::vector<Candidate> candidates{};         ///< A heap, the oldest on top.
  std::vector<Candidate> suspects{};           ///< The same.
  std::bitset<kLanes> used{};
  std::optional<Timestamp> next_due{};
  Claimed claimed{};

  [[nodiscard]] std::size_t missing() const { return request.limit - claimed.work.size(); }
};

Claimed MemoryBus::claim(const ClaimRequest& request) {
  const base::MutexLock lock(mutex_);
  Claiming claiming{.request = request, .now = now()};
  for (std::size_t i = owned_.from(0); i < kLanes; i = owned_.from(i + 1)) {
    const bool expired = lanes_[i].expires_at <= claiming.now;
    if (expired && !lanes_[i].in_flight.empty()) take_over(i, claiming.now);
  }
  for (const auto& [name, handler] : handlers_) {
    const auto room =
        std::ranges::find(request.handlers, std::string_view(name), &HandlerRoom::handler);
    if (!is_active(*handler)) continue;
    if (room == request.handlers.end()) {
      claiming.others.push_back(handler.get());
    } else {
      claiming.wanted.push_back({handler.get(), room->room});
    }
  }
  gather(claiming);

  claiming.claimed.work.reserve(std::min<std::size_t>(request.limit, 1'024));
  claiming.claimed.suspects_wait = !claiming.suspects.empty();
  if (request.suspects == SuspectPolicy::take_alone && !claiming.suspects.empty() &&
      request.limit > 0) {
    const Candidate& oldest = claiming.suspects.front();
    take(claiming, lanes_[oldest.lane], *oldest.head.delivery);
    claiming.claimed.suspects_wait = claiming.suspects.size() > 1;
  } else {
    while (!claiming.candidates.empty() && claiming.missing() > 0) {
      std::ranges::pop_heap(claiming.candidates, std::less<>{});
      const Candidate oldest = claiming.candidates.back();
      claiming.candidates.pop_back();
      Wanted& wanted = claiming.wanted[oldest.wanted];
      Lane& lane = lanes_[oldest.lane];
      take_from(claiming, lane, lane.queues[wanted.handler->index], wanted.room);
    }
  }

  for (std::size_t i = owned_.from(0); i < kLanes; i = owned_.from(i + 1)) {
    if (!claiming.used[i]) give_back_idle(i, request.worker);
  }
  if (claiming.next_due) claiming.claimed.next_due_in = *claiming.next_due - claiming.now;
  return std::move(claiming.claimed);
}

void MemoryBus::give_back_idle(std::size_t number, const WorkerId& worker) {
  Lane& lane = lanes_[number];
  if (!lane.is_owned_by(worker) || !lane.in_flight.empty()) return;
  lane.owner.reset();
  owned_.erase(number);
}

void MemoryBus::take_over(std::size_t number, Timestamp at) {
  if (base::is_mutant("skip_takeover")) return;
  Lane& lane = lanes_[number];
  ++takeovers_;
  ++lane.epoch.value;
  lane.owner.reset();
  owned_.erase(number);
  while (!lane.in_flight.empty()) {
    Delivery& delivery = *lane.in_flight.back();
    const std::optional<Subscription>& subscription = delivery.handler->subscription;
    const work::CrashCharge charge = work::charge_for_crash(
        delivery.attempts, delivery.suspect,
        subscription ? std::optional(subscription->max_attempts) : std::nullopt);
    end_claim(delivery);
    delivery.attempts = charge.attempts;
    delivery.suspect = true;
    delivery.last_error = work::kWorkerLost;
    delivery.updated_at = at;
    if (charge.bury) {
      move(delivery, Actor::takeover, DeliveryStatus::dead);
      if (delivery.key_queue != nullptr) expose_first(*delivery.key_queue);
    } else {
      move(delivery, Actor::takeover, DeliveryStatus::pending);
      start_waiting(delivery);
    }
  }
}

void MemoryBus::gather(Claiming& claiming) {
  const auto note_due = [&](Timestamp due) {
    claiming.next_due = claiming.next_due ? std::min(*claiming.next_due, due) : due;
  };
  const auto is_free = [&](const Lane& lane) {
    return !lane.is_held(claiming.now) || lane.is_owned_by(claiming.request.worker);
  };
  std::vector<Candidate> oldest;
  for (std::size_t w = 0; w < claiming.wanted.size(); ++w) {
    const Wanted& wanted = claiming.wanted[w];
    const LaneHeads& suspects = wanted.handler->suspects;
    for (std::size_t i = suspects.lanes().from(0); i < kLanes; i = suspects.lanes().from(i + 1)) {
      const Waiting& head = suspects.of(i);
      const bool is_due = head.available_at <= claiming.now;
      if (is_due && is_free(lanes_[i])) claiming.suspects.push_back({head, i, w});
    }
    // Each lane that is taken from gives one at least, so no more lanes are needed.
    const std::size_t most = std::min(wanted.room, claiming.request.limit);
    const LaneHeads& ready = wanted.handler->ready;
    for (std::size_t i = ready.lanes().from(0); i < kLanes; i = ready.lanes().from(i + 1)) {
      const Waiting& head = ready.of(i);
      const Lane& lane = lanes_[i];
      if (head.available_at > claiming.now) {
        note_due(head.available_at);
      } else if (most > 0 && is_free(lane)) {
        if (lane.is_held(claiming.now) && must_yield(claiming, lane, head)) {
          // Due, but left this once: zero says that it is worth asking again.
          note_due(claiming.now);
        } else {
          keep_oldest(oldest, {head, i, w}, most);
        }
      }
    }
    claiming.candidates.insert(claiming.candidates.end(), oldest.begin(), oldest.end());
    oldest.clear();
  }
  std::ranges::make_heap(claiming.candidates, std::less<>{});
  std::ranges::make_heap(claiming.suspects, std::less<>{});
}

// Work of handlers that this worker does not run can wait in a lane that it holds. Where such work
// has waited longer, the lane is left to run empty and handed back, so that another can have it.
bool MemoryBus::must_yield(const Claiming& claiming, const Lane& lane, const Waiting& own) {
  return std::ranges::any_of(claiming.others, [&](const HandlerRecord* other) {
    const HandlerQueue& queue = lane.queues[other->index];
    const auto is_older = [&](const WaitingQueue& waiting) {
      return !waiting.empty() && waiting.front().available_at <= claiming.now &&
             waiting.front() < own;
    };
    return is_older(queue.ready) || is_older(queue.suspects);
  });
}

void MemoryBus::take_from(Claiming& claiming, Lane& lane, HandlerQueue& queue, std::size_t& room) {
  while (room > 0 && claiming.missing() > 0 && !queue.ready.empty() &&
         queue.ready.front().available_at <= claiming.now) {
    take_run(claiming, lane, *queue.ready.front().delivery, room);
  }
}

void MemoryBus::take_run(Claiming& claiming, Lane& lane, Delivery& first, std::size_t& room) {
  take(claiming, lane, first);
  --room;
  if (first.key_queue == nullptr) return;
  for (std::size_t taken = 1; taken < claiming.request.run_limit; ++taken) {
    const auto& waiting = first.key_queue->waiting;
    if (room == 0 || claiming.missing() == 0 || waiting.empty()) break;
    Delivery& next = *waiting.begin()->second;
    if (next.suspect || next.available_at > claiming.now) break;
    take(claiming, lane, next);
    --room;
  }
}

void MemoryBus::take(Claiming& claiming, Lane& lane, Delivery& delivery) {
  const auto number = static_cast<std::size_t>(delivery.lane.value);
  if (!claiming.used[number]) {
    claiming.used.set(number);
    if (!(lane.is_held(claiming.now) && lane.is_owned_by(claiming.request.worker))) {
      lane.owner = claiming.request.worker.value();
      owned_.insert(number);
      ++lane.epoch.value;
    }
    lane.expires_at = work::due_after(claiming.now, claiming.request.lease);
  }
  stop_waiting(delivery);
  move(delivery, Actor::claim, DeliveryStatus::in_flight);
  if (!base::is_mutant("forget_in_flight")) {
    delivery.place = lane.in_flight.size();
    lane.in_flight.push_back(&delivery);
  }
  if (delivery.key_queue != nullptr) {
    ++delivery.key_queue->in_flight;
    expose_first(*delivery.key_queue);
  }
  const bool has_key = delivery.key != nullptr;
  claiming.claimed.work.push_back(
      {.token =
           work::lane_token(DeliveryId{delivery.id}, delivery.lane, lane.epoch, delivery.claims),
       .handler = delivery.handler->name,
       .event = delivery.content,
       .sequence = has_key ? std::optional(delivery.sequence) : std::nullopt,
       .attempts = delivery.attempts,
       .suspect = delivery.suspect,
       .published_at = delivery.published_at});
}

}  // namespace penstock::memory

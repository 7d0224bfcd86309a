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
};

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
  for (Lane& lane : lanes_) {
    const bool expired = lane.owner && lane.expires_at <= claiming.now;
    if (expired && !lane.in_flight.empty()) take_over(lane, claiming.now);
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

  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (!claiming.used[i] && lane.is_owned_by(request.worker) && lane.in_flight.empty()) {
      lane.owner.reset();
    }
  }
  if (claiming.next_due) claiming.claimed.next_due_in = *claiming.next_due - claiming.now;
  return std::move(claiming.claimed);
}

void MemoryBus::take_over(Lane& lane, Timestamp at) {
  if (base::is_mutant("skip_takeover")) return;
  ++takeovers_;
  ++lane.epoch.value;
  lane.owner.reset();
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
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    const bool is_held = lane.is_held(claiming.now);
    const bool is_own = is_held && lane.is_owned_by(claiming.request.worker);
    const bool is_free = is_own || !is_held;
    for (std::size_t w = 0; w < claiming.wanted.size(); ++w) {
      const HandlerQueue& queue = lane.queues[claiming.wanted[w].handler->index];
      if (is_free && !queue.suspects.empty() &&
          queue.suspects.front().available_at <= claiming.now) {
        claiming.suspects.push_back({queue.suspects.front(), i, w});
      }
      if (queue.ready.empty()) continue;
      const Waiting& head = queue.ready.front();
      if (head.available_at > claiming.now) {
        note_due(head.available_at);
      } else if (is_free && claiming.wanted[w].room > 0) {
        if (is_own && must_yield(claiming, lane, head)) {
          // Due, but left this once: zero says that it is worth asking again.
          note_due(claiming.now);
        } else {
          claiming.candidates.push_back({head, i, w});
        }
      }
    }
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

// The ends of an attempt, and how a delivery comes and goes from the sight of claims.
#include <algorithm>
#include <set>

#include "base/invariant.hpp"
#include "base/mutant.hpp"
#include "store/memory/bus.hpp"
#include "work/check.hpp"
#include "work/due_time.hpp"
#include "work/token.hpp"

namespace penstock::memory {

Delivery* MemoryBus::in_flight(const Token& token) {
  const std::int32_t number = work::lane_of(token).value;
  if (number < 0 || number >= kLanes) return nullptr;
  const Lane& lane = lanes_[static_cast<std::size_t>(number)];
  if (!base::is_mutant("drop_epoch_check") && lane.epoch != work::epoch_of(token)) return nullptr;
  Delivery* const delivery = deliveries_.find(token.work_id);
  if (delivery == nullptr || delivery->lane.value != number) return nullptr;
  if (delivery->place == Delivery::kNowhere) return nullptr;
  if (!base::is_mutant("drop_claims_check") && delivery->claims != work::claims_of(token)) {
    return nullptr;
  }
  return delivery;
}

void MemoryBus::move(Delivery& delivery, Actor actor, DeliveryStatus to) {
  PENSTOCK_INVARIANT(may_move(actor, delivery.status, to));
  delivery.status = to;
}

void MemoryBus::end_claim(Delivery& delivery) {
  PENSTOCK_INVARIANT(delivery.place != Delivery::kNowhere);
  // The last takes its place.
  std::vector<Delivery*>& in_flight = lane_of(delivery).in_flight;
  in_flight.back()->place = delivery.place;
  in_flight[delivery.place] = in_flight.back();
  in_flight.pop_back();
  delivery.place = Delivery::kNowhere;
  ++delivery.claims;
  if (delivery.key_queue != nullptr) --delivery.key_queue->in_flight;
}

void MemoryBus::show_to_claims(Delivery& delivery) {
  HandlerRecord& handler = *delivery.handler;
  WaitingQueue& queue = lane_of(delivery).queues[handler.index].of(delivery);
  queue.insert({delivery.available_at, delivery.id, &delivery});
  (delivery.suspect ? handler.suspects : handler.ready)
      .follow(static_cast<std::size_t>(delivery.lane.value), queue);
}

void MemoryBus::hide_from_claims(Delivery& delivery) {
  HandlerRecord& handler = *delivery.handler;
  WaitingQueue& queue = lane_of(delivery).queues[handler.index].of(delivery);
  queue.erase({delivery.available_at, delivery.id, &delivery});
  (delivery.suspect ? handler.suspects : handler.ready)
      .follow(static_cast<std::size_t>(delivery.lane.value), queue);
}

void MemoryBus::expose_first(KeyQueue& queue) {
  const bool blocked = queue.in_flight > 0 && !base::is_mutant("ignore_blocked_key");
  Delivery* const first =
      blocked || queue.waiting.empty() ? nullptr : queue.waiting.begin()->second;
  if (queue.exposed == first) return;
  if (queue.exposed != nullptr) hide_from_claims(*queue.exposed);
  queue.exposed = first;
  if (first != nullptr) show_to_claims(*first);
}

void MemoryBus::start_waiting(Delivery& delivery) {
  if (delivery.key_queue == nullptr) {
    show_to_claims(delivery);
    return;
  }
  delivery.key_queue->waiting.emplace(delivery.sequence, &delivery);
  expose_first(*delivery.key_queue);
}

// Leaves the next of its key hidden: the caller says whether this one is in flight now, and then
// calls expose_first.
void MemoryBus::stop_waiting(Delivery& delivery) {
  if (delivery.key_queue == nullptr) {
    hide_from_claims(delivery);
    return;
  }
  KeyQueue& queue = *delivery.key_queue;
  queue.waiting.erase(delivery.sequence);
  if (queue.exposed != &delivery) return;
  hide_from_claims(delivery);
  queue.exposed = nullptr;
}

void MemoryBus::forget(Delivery& delivery) {
  if (delivery.key != nullptr) --delivery.key->deliveries;
  deliveries_.erase(delivery.id);
}

void MemoryBus::give_back(Delivery& delivery) {
  end_claim(delivery);
  move(delivery, Actor::worker, DeliveryStatus::pending);
  start_waiting(delivery);
}

void MemoryBus::finish_completed(Delivery& delivery, Timestamp at) {
  if (base::is_mutant("complete_keeps_row")) return;
  end_claim(delivery);
  if (delivery.key_queue != nullptr) expose_first(*delivery.key_queue);
  move(delivery, Actor::worker, DeliveryStatus::completed);
  delivery.updated_at = at;
  if (options_.retain_completed) completed_.emplace(delivery.id, describe(delivery));
  forget(delivery);
}

std::vector<Verdict> MemoryBus::extend(std::span<const Token> tokens, Duration lease) {
  const base::MutexLock lock(mutex_);
  const Timestamp expires_at = work::due_after(now(), lease);
  std::vector<Verdict> verdicts;
  verdicts.reserve(tokens.size());
  for (const Token& token : tokens) {
    Delivery* const delivery = in_flight(token);
    if (delivery != nullptr) lane_of(*delivery).expires_at = expires_at;
    verdicts.push_back(delivery != nullptr ? Verdict::done : Verdict::lost);
  }
  return verdicts;
}

std::vector<Verdict> MemoryBus::complete(std::span<const Token> tokens,
                                         const Transaction* transaction) {
  PendingWrites* const pending =
      transaction == nullptr ? nullptr : &pending_of(*transaction, queue_);
  const base::MutexLock lock(mutex_);
  const Timestamp at = now();
  std::vector<Verdict> verdicts;
  verdicts.reserve(tokens.size());
  for (const Token& token : tokens) {
    Delivery* const delivery = in_flight(token);
    bool good = delivery != nullptr;
    if (good && pending != nullptr) {
      good = std::ranges::find(pending->completed, token) == pending->completed.end();
      if (good) pending->completed.push_back(token);
    } else if (good) {
      finish_completed(*delivery, at);
    }
    verdicts.push_back(good ? Verdict::done : Verdict::lost);
  }
  return verdicts;
}

std::vector<Verdict> MemoryBus::reschedule(std::span<const Reschedule> items) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(items.size());
  {
    const base::MutexLock lock(mutex_);
    const Timestamp at = now();
    for (const Reschedule& item : items) {
      Delivery* const delivery = in_flight(item.token);
      verdicts.push_back(delivery != nullptr ? Verdict::done : Verdict::lost);
      if (delivery == nullptr) continue;
      end_claim(*delivery);
      move(*delivery, Actor::worker, DeliveryStatus::pending);
      if (item.charge == Charge::charge) ++delivery->attempts;
      delivery->suspect = false;
      delivery->available_at = work::due_after(at, item.delay);
      delivery->updated_at = at;
      if (!item.error.empty()) delivery->last_error = work::error_text(item.error);
      start_waiting(*delivery);
    }
  }
  wakeups_.hint();
  return verdicts;
}

std::vector<Verdict> MemoryBus::bury(std::span<const Bury> items) {
  const base::MutexLock lock(mutex_);
  const Timestamp at = now();
  std::vector<Verdict> verdicts;
  verdicts.reserve(items.size());
  for (const Bury& item : items) {
    Delivery* const delivery = in_flight(item.token);
    verdicts.push_back(delivery != nullptr ? Verdict::done : Verdict::lost);
    if (delivery == nullptr) continue;
    end_claim(*delivery);
    if (delivery->key_queue != nullptr) expose_first(*delivery->key_queue);
    move(*delivery, Actor::worker, DeliveryStatus::dead);
    ++delivery->attempts;
    delivery->suspect = false;
    delivery->updated_at = at;
    delivery->last_error = work::error_text(item.reason);
  }
  return verdicts;
}

std::vector<Verdict> MemoryBus::release(std::span<const Token> tokens) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(tokens.size());
  {
    const base::MutexLock lock(mutex_);
    for (const Token& token : tokens) {
      Delivery* const delivery = in_flight(token);
      verdicts.push_back(delivery != nullptr ? Verdict::done : Verdict::lost);
      if (delivery != nullptr) give_back(*delivery);
    }
  }
  wakeups_.hint();
  return verdicts;
}

void MemoryBus::relinquish(const WorkerId& worker) {
  {
    const base::MutexLock lock(mutex_);
    for (std::size_t i = owned_.from(0); i < kLanes; i = owned_.from(i + 1)) {
      give_back_idle(i, worker);
    }
  }
  wakeups_.hint();
}

void MemoryBus::inherit(const WorkerId& former, const WorkerId& worker,
                        std::span<const Token> running) {
  {
    const base::MutexLock lock(mutex_);
    std::set<const Delivery*> kept;
    for (const Token& token : running) kept.insert(in_flight(token));
    for (std::size_t i = owned_.from(0); i < kLanes; i = owned_.from(i + 1)) {
      Lane& lane = lanes_[i];
      if (!lane.is_owned_by(former)) continue;
      lane.owner = worker.value();
      const std::vector<Delivery*> all = lane.in_flight;
      for (Delivery* const delivery : all) {
        if (!kept.contains(delivery)) give_back(*delivery);
      }
    }
  }
  wakeups_.hint();
}

}  // namespace penstock::memory

// Events and subscriptions become deliveries. A publish is planned first and applied second, so
// that a transaction can keep its plan until the commit.
#include <algorithm>

#include "base/mutant.hpp"
#include "penstock/error.hpp"
#include "store/memory/bus.hpp"
#include "work/check.hpp"
#include "work/lane_hash.hpp"
#include "work/pattern.hpp"

namespace penstock::memory {
namespace {

bool wants(const HandlerRecord& handler, std::string_view type) {
  return handler.subscription &&
         std::ranges::any_of(handler.subscription->types, [&](const std::string& pattern) {
           return work::matches(pattern, type);
         });
}

bool contains(const std::vector<const HandlerRecord*>& handlers, const HandlerRecord* handler) {
  return std::ranges::find(handlers, handler) != handlers.end();
}

Published answer(const PlannedEvent& planned) {
  Published published{.id = *planned.event->id, .status = planned.status};
  for (const HandlerRecord* handler : planned.handlers) published.handlers.push_back(handler->name);
  return published;
}

}  // namespace

std::vector<Published> MemoryBus::publish(std::span<const Event> events,
                                          const Transaction* transaction) {
  PendingWrites* const pending =
      transaction == nullptr ? nullptr : &pending_of(*transaction, queue_);
  for (const Event& event : events) work::check_event(event, options_.max_payload);
  std::vector<std::shared_ptr<const Event>> stored;
  std::vector<LaneId> lanes;
  stored.reserve(events.size());
  lanes.reserve(events.size());
  for (const Event& event : events) {
    auto copy = std::make_shared<Event>(event);
    if (!copy->id) copy->id = EventId::generate();
    lanes.push_back(work::lane_of(*copy));
    stored.push_back(std::move(copy));
  }

  std::vector<Published> answers;
  answers.reserve(events.size());
  {
    const base::MutexLock lock(mutex_);
    const Timestamp at = now();
    for (std::size_t i = 0; i < stored.size(); ++i) {
      PlannedEvent planned = plan(std::move(stored[i]), lanes[i], pending);
      answers.push_back(answer(planned));
      if (pending == nullptr) {
        apply(planned, at);
      } else {
        std::vector<const HandlerRecord*>& known = pending->handlers[*planned.event->id];
        known.insert(known.end(), planned.handlers.begin(), planned.handlers.end());
        pending->events.push_back(std::move(planned));
      }
    }
  }
  if (pending == nullptr && !events.empty()) wakeups_.hint();
  return answers;
}

PlannedEvent MemoryBus::plan(std::shared_ptr<const Event> event, LaneId lane,
                             const PendingWrites* pending) {
  PlannedEvent planned;
  planned.event = std::move(event);
  planned.lane = lane;
  const EventId& id = *planned.event->id;
  std::vector<const HandlerRecord*> had;
  std::string_view type = planned.event->type;
  if (const auto found = events_.find(id); found != events_.end()) {
    planned.status = PublishStatus::duplicate;
    had = found->second.handlers;
    type = found->second.event->type;
  }
  if (pending != nullptr) {
    if (const auto found = pending->handlers.find(id); found != pending->handlers.end()) {
      had.insert(had.end(), found->second.begin(), found->second.end());
      if (planned.status == PublishStatus::created) {
        planned.status = PublishStatus::duplicate;
        planned.of_same_transaction = true;
        const auto first = std::ranges::find_if(
            pending->events, [&](const PlannedEvent& other) { return *other.event->id == id; });
        type = first->event->type;
      }
    }
  }
  if (base::is_mutant("duplicate_event_redelivers")) had.clear();
  for (const auto& [name, handler] : handlers_) {
    if (wants(*handler, type) && !contains(had, handler.get())) {
      planned.handlers.push_back(handler.get());
    }
  }
  return planned;
}

void MemoryBus::apply(const PlannedEvent& planned, Timestamp at) {
  const auto [entry, is_new] = events_.try_emplace(*planned.event->id);
  EventRecord& record = entry->second;
  if (is_new) {
    record.event = planned.event;
    record.lane = planned.lane;
    record.ordinal = ++last_ordinal_;
    record.created_at = at;
  }
  KeyRecord* key = nullptr;
  if (record.event->key && (is_new || !planned.handlers.empty())) {
    key = &keys_[*record.event->key];
    ++key->sequence;
    key->used_at = at;
  }
  for (HandlerRecord* handler : planned.handlers) add_delivery(record, *handler, key, at);
}

void MemoryBus::add_delivery(EventRecord& event, HandlerRecord& handler, KeyRecord* key,
                             Timestamp at) {
  event.handlers.push_back(&handler);
  Delivery& delivery = deliveries_.add();
  delivery.event = &event;
  delivery.content = event.event;
  delivery.lane = event.lane;
  delivery.published_at = event.created_at;
  delivery.handler = &handler;
  delivery.available_at = delivery.created_at = delivery.updated_at = at;
  if (key != nullptr) {
    ++key->deliveries;
    delivery.key = key;
    delivery.key_queue = &key->queues[&handler];
    delivery.sequence = key->sequence;
  }
  start_waiting(delivery);
}

HandlerRecord& MemoryBus::handler_named(std::string_view name) {
  if (const auto found = handlers_.find(name); found != handlers_.end()) return *found->second;
  auto handler = std::make_unique<HandlerRecord>();
  handler->name = name;
  handler->index = handlers_.size();
  for (Lane& lane : lanes_) lane.queues.emplace_back();
  return *handlers_.emplace(name, std::move(handler)).first->second;
}

void MemoryBus::subscribe(const Subscription& subscription) {
  work::check_subscription(subscription);
  const base::MutexLock lock(mutex_);
  std::optional<Subscription>& kept = handler_named(subscription.handler).subscription;
  const bool paused = kept && kept->paused;
  kept = subscription;
  kept->paused = paused;
}

Verdict MemoryBus::set_subscription_state(std::string_view handler, SubscriptionState state) {
  {
    const base::MutexLock lock(mutex_);
    const auto found = handlers_.find(handler);
    if (found == handlers_.end() || !found->second->subscription) return Verdict::lost;
    std::optional<Subscription>& subscription = found->second->subscription;
    if (state == SubscriptionState::removed) {
      subscription.reset();
    } else {
      subscription->paused = state == SubscriptionState::paused;
    }
  }
  if (state == SubscriptionState::active) wakeups_.hint();
  return Verdict::done;
}

std::vector<Subscription> MemoryBus::subscriptions() {
  const base::MutexLock lock(mutex_);
  std::vector<Subscription> all;
  for (const auto& [name, handler] : handlers_) {
    if (handler->subscription) all.push_back(*handler->subscription);
  }
  return all;
}

std::unique_ptr<OwnedTransaction> MemoryBus::begin() {
  return std::make_unique<MemoryTransaction>(*this, queue_);
}

bool MemoryBus::still_holds(const PlannedEvent& planned) {
  if (planned.of_same_transaction) return true;
  const auto found = events_.find(*planned.event->id);
  if (planned.status == PublishStatus::created) return found == events_.end();
  return found != events_.end() &&
         std::ranges::none_of(planned.handlers, [&](const HandlerRecord* handler) {
           return contains(found->second.handlers, handler);
         });
}

void MemoryBus::commit(const PendingWrites& pending) {
  {
    const base::MutexLock lock(mutex_);
    for (const Token& token : pending.completed) {
      if (in_flight(token) != nullptr) continue;
      throw Error(ErrorKind::conflict,
                  "a completion lost its token before the commit: another worker has the delivery; "
                  "nothing was written",
                  {.operation = "commit"});
    }
    for (const PlannedEvent& planned : pending.events) {
      if (still_holds(planned)) continue;
      throw Error(ErrorKind::conflict,
                  "event " + planned.event->id->to_string() +
                      " was published or purged meanwhile; run the transaction again",
                  {.operation = "commit"});
    }
    // The last that may refuse. Who sees its jobs already and asks the bus has to wait for this
    // lock.
    queue_.commit(pending.jobs);
    const Timestamp at = now();
    for (const Token& token : pending.completed) finish_completed(*in_flight(token), at);
    for (const PlannedEvent& planned : pending.events) apply(planned, at);
  }
  wakeups_.hint();
}

std::vector<Event> MemoryBus::published() {
  const base::MutexLock lock(mutex_);
  std::map<std::int64_t, std::shared_ptr<const Event>> by_commit;
  for (const auto& [id, record] : events_) by_commit.emplace(record.ordinal, record.event);
  std::vector<Event> events;
  events.reserve(by_commit.size());
  for (const auto& [ordinal, event] : by_commit) events.push_back(*event);
  return events;
}

}  // namespace penstock::memory

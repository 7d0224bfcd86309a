// What an operator sees and does, and retention.
#include <algorithm>
#include <unordered_set>

#include "store/memory/bus.hpp"
#include "work/check.hpp"

namespace penstock::memory {
namespace {

bool is_match(const ListQuery& query, const DeliveryInfo& info) {
  return (!query.status || *query.status == info.status) &&
         (!query.handler || *query.handler == info.handler) &&
         (!query.type || *query.type == info.type) && (!query.key || query.key == info.key) &&
         (!query.event_id || *query.event_id == info.event_id) &&
         (!query.delivery_id || *query.delivery_id == info.id);
}

}  // namespace

Capabilities MemoryBus::capabilities() const {
  return {.store = "memory",
          .max_payload = options_.max_payload,
          .durable = false,
          .several_processes = false,
          .completion_history = options_.retain_completed,
          .borrowed_transactions = false};
}

// Memory has no tables that could be missing or old.
void MemoryBus::setup(SetupMode /*mode*/) {}

DeliveryInfo MemoryBus::describe(const Delivery& delivery) {
  const Event& event = *delivery.content;
  DeliveryInfo info{.id = DeliveryId{delivery.id},
                    .event_id = *event.id,
                    .handler = delivery.handler->name,
                    .type = event.type,
                    .key = event.key,
                    .lane = delivery.lane,
                    .status = delivery.status,
                    .attempts = delivery.attempts,
                    .suspect = delivery.suspect,
                    .available_at = delivery.available_at,
                    .created_at = delivery.created_at,
                    .updated_at = delivery.updated_at,
                    .last_error = delivery.last_error};
  if (delivery.key != nullptr) info.sequence = delivery.sequence;
  if (delivery.status == DeliveryStatus::in_flight) {
    const Lane& lane = lane_of(delivery);
    info.lease_owner = lane.owner;
    info.lease_expires_at = lane.expires_at;
  }
  return info;
}

DeliveryPage MemoryBus::list(const ListQuery& query) {
  work::check_list_query(query);
  const base::MutexLock lock(mutex_);
  DeliveryPage page{.at = now()};
  Delivery* open = deliveries_.after(query.after.value);
  auto done = completed_.upper_bound(query.after.value);
  while (open != nullptr || done != completed_.end()) {
    const bool take_open = done == completed_.end() || (open != nullptr && open->id < done->first);
    DeliveryInfo info = take_open ? describe(*open) : (done++)->second;
    if (take_open) open = deliveries_.after(open->id);
    if (!is_match(query, info)) continue;
    if (page.items.size() >= query.limit) {
      // One more matches, so there is a next page.
      page.next = page.items.back().id;
      break;
    }
    if (query.detail == Detail::with_event) {
      const auto event = events_.find(info.event_id);
      if (event != events_.end()) info.event = event->second.event;
    }
    page.items.push_back(std::move(info));
  }
  return page;
}

std::vector<Delivery*> MemoryBus::selected(const Selection& selection) {
  std::vector<Delivery*> found;
  for (Delivery* one = deliveries_.after(0); one != nullptr; one = deliveries_.after(one->id)) {
    if ((!selection.delivery_id || selection.delivery_id->value == one->id) &&
        (!selection.event_id || *selection.event_id == *one->content->id) &&
        (!selection.handler || *selection.handler == one->handler->name)) {
      found.push_back(one);
    }
  }
  return found;
}

std::int64_t MemoryBus::requeue(const Selection& selection) {
  work::check_selection(selection);
  std::int64_t requeued = 0;
  {
    const base::MutexLock lock(mutex_);
    const Timestamp at = now();
    for (Delivery* const delivery : selected(selection)) {
      if (delivery->status != DeliveryStatus::dead) continue;
      move(*delivery, Actor::operators, DeliveryStatus::pending);
      delivery->attempts = 0;
      delivery->available_at = delivery->updated_at = at;
      start_waiting(*delivery);
      ++requeued;
    }
  }
  if (requeued > 0) wakeups_.hint();
  return requeued;
}

std::int64_t MemoryBus::bury_selected(const Selection& selection, std::string_view reason) {
  work::check_selection(selection);
  const base::MutexLock lock(mutex_);
  const Timestamp at = now();
  std::int64_t buried = 0;
  for (Delivery* const delivery : selected(selection)) {
    if (delivery->status == DeliveryStatus::dead) continue;
    if (delivery->status == DeliveryStatus::in_flight) {
      end_claim(*delivery);
    } else {
      stop_waiting(*delivery);
    }
    if (delivery->key_queue != nullptr) expose_first(*delivery->key_queue);
    move(*delivery, Actor::operators, DeliveryStatus::dead);
    delivery->updated_at = at;
    delivery->last_error = work::bury_text(reason, delivery->last_error);
    ++buried;
  }
  return buried;
}

Purged MemoryBus::purge(const Retention& retention, std::size_t limit) {
  const base::MutexLock lock(mutex_);
  const Timestamp at = now();
  Purged purged;
  const auto has_room = [&](std::int64_t done) {
    if (static_cast<std::size_t>(done) < limit) return true;
    purged.more = true;
    return false;
  };
  std::unordered_set<const EventRecord*> used;
  for (Delivery *one = deliveries_.after(0), *next = nullptr; one != nullptr; one = next) {
    next = deliveries_.after(one->id);
    Delivery& delivery = *one;
    const bool is_expired =
        delivery.status == DeliveryStatus::dead && at - delivery.updated_at > retention.dead;
    if (is_expired && has_room(purged.dead)) {
      forget(delivery);
      ++purged.dead;
    } else {
      used.insert(delivery.event);
    }
  }
  const auto expired = [&](Timestamp since) { return at - since > retention.completed; };
  const auto sweep = [&](auto& rows, std::int64_t& count, const auto& is_expired) {
    for (auto row = rows.begin(); row != rows.end();) {
      if (!is_expired(row->second)) {
        ++row;
        continue;
      }
      if (!has_room(count)) break;
      row = rows.erase(row);
      ++count;
    }
  };
  sweep(completed_, purged.history,
        [&](const DeliveryInfo& info) { return expired(info.updated_at); });
  sweep(events_, purged.events, [&](const EventRecord& event) {
    return !used.contains(&event) && expired(event.created_at);
  });
  sweep(keys_, purged.keys,
        [&](const KeyRecord& key) { return key.deliveries == 0 && expired(key.used_at); });
  return purged;
}

Statistics MemoryBus::statistics() {
  const base::MutexLock lock(mutex_);
  Statistics statistics{
      .at = now(), .events = static_cast<std::int64_t>(events_.size()), .takeovers = takeovers_};
  for (const auto& [name, handler] : handlers_) {
    if (handler->subscription) statistics.handlers[name];
  }
  for (Delivery* one = deliveries_.after(0); one != nullptr; one = deliveries_.after(one->id)) {
    const Delivery& delivery = *one;
    HandlerStatistics& handler = statistics.handlers[delivery.handler->name];
    if (delivery.status == DeliveryStatus::dead) {
      ++handler.dead;
    } else if (delivery.status == DeliveryStatus::in_flight) {
      ++handler.in_flight;
    } else {
      ++handler.pending;
      if (delivery.available_at > statistics.at) continue;
      ++handler.due;
      const Duration age = statistics.at - delivery.available_at;
      handler.oldest_due = std::max(handler.oldest_due.value_or(age), age);
    }
  }
  for (const auto& [id, info] : completed_) ++statistics.handlers[info.handler].completed;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    if (lane.epoch.value == 0) continue;
    LaneInfo info{.lane = LaneId{static_cast<std::int32_t>(i)}, .epoch = lane.epoch};
    info.owner = lane.owner;
    if (lane.owner) info.expires_at = lane.expires_at;
    for (const Delivery* one : lane.in_flight) info.in_flight.push_back(DeliveryId{one->id});
    std::ranges::sort(info.in_flight);
    statistics.lanes.push_back(std::move(info));
  }
  return statistics;
}

std::unique_ptr<Wakeup> MemoryBus::listen() { return wakeups_.listen(); }

}  // namespace penstock::memory

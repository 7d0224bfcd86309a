// What an operator does, built from the calls of the store.
#include "penstock/admin.hpp"

#include <algorithm>
#include <utility>

#include "maintain/purge.hpp"
#include "penstock/error.hpp"

namespace penstock {
namespace {

std::string sentence_of(const Explanation& what) {
  const DeliveryInfo& delivery = what.delivery;
  switch (what.standing) {
    case Standing::ready:
      return "due and free: runs as soon as a worker of handler \"" + delivery.handler +
             "\" looks for work; if none comes, none is running";
    case Standing::not_due: return "not due yet";
    case Standing::key_blocked:
      return "waits for delivery " + std::to_string(what.blocked_by.value_or(DeliveryId{}).value) +
             ", which comes first in its ordering key";
    case Standing::handler_paused: return "handler \"" + delivery.handler + "\" is paused";
    case Standing::no_handler:
      return "nobody is subscribed as \"" + delivery.handler + "\", so nobody takes it";
    case Standing::in_flight: return "running on " + delivery.lease_owner.value_or("a worker");
    case Standing::lease_expired:
      return "was running on " + delivery.lease_owner.value_or("a worker") +
             ", whose lease has expired; the next claim of any worker takes it over";
    case Standing::dead:
      return "in the dead letters after " + std::to_string(delivery.attempts) +
             (delivery.attempts == 1 ? " attempt" : " attempts");
    case Standing::completed: return "completed";
  }
  return {};
}

}  // namespace

std::string_view to_string(Standing standing) noexcept {
  switch (standing) {
    case Standing::ready: return "ready";
    case Standing::not_due: return "not_due";
    case Standing::key_blocked: return "key_blocked";
    case Standing::handler_paused: return "handler_paused";
    case Standing::no_handler: return "no_handler";
    case Standing::in_flight: return "in_flight";
    case Standing::lease_expired: return "lease_expired";
    case Standing::dead: return "dead";
    case Standing::completed: return "completed";
  }
  return "ready";
}

std::optional<Explanation> Admin::show(DeliveryId id) {
  DeliveryPage page = store_.list({.delivery_id = id, .limit = 1, .detail = Detail::with_event});
  if (page.items.empty()) return std::nullopt;
  return explain(std::move(page.items.front()), page.at);
}

std::vector<Explanation> Admin::show(const EventId& id) {
  std::vector<Explanation> explanations;
  ListQuery query{.event_id = id, .detail = Detail::with_event};
  for (;;) {
    DeliveryPage page = store_.list(query);
    for (DeliveryInfo& delivery : page.items) {
      explanations.push_back(explain(std::move(delivery), page.at));
    }
    if (!page.next) return explanations;
    query.after = *page.next;
  }
}

Explanation Admin::explain(DeliveryInfo delivery, Timestamp now) {
  Explanation what{.delivery = std::move(delivery)};
  what.standing = standing_of(what, now);
  what.sentence = sentence_of(what);
  return what;
}

Standing Admin::standing_of(Explanation& what, Timestamp now) {
  const DeliveryInfo& delivery = what.delivery;
  if (delivery.status == DeliveryStatus::completed) return Standing::completed;
  if (delivery.status == DeliveryStatus::dead) return Standing::dead;
  if (delivery.status == DeliveryStatus::in_flight) {
    const bool expired = delivery.lease_expires_at && *delivery.lease_expires_at <= now;
    return expired ? Standing::lease_expired : Standing::in_flight;
  }
  const std::vector<Subscription> subscriptions = store_.subscriptions();
  const auto subscription =
      std::ranges::find(subscriptions, delivery.handler, &Subscription::handler);
  if (subscription == subscriptions.end()) return Standing::no_handler;
  if (subscription->paused) return Standing::handler_paused;
  if (const auto first = first_of_key(delivery)) {
    what.blocked_by = first;
    return Standing::key_blocked;
  }
  return delivery.available_at > now ? Standing::not_due : Standing::ready;
}

std::optional<DeliveryId> Admin::first_of_key(const DeliveryInfo& delivery) {
  if (!delivery.key) return std::nullopt;
  for (const auto status : {DeliveryStatus::in_flight, DeliveryStatus::pending}) {
    const DeliveryPage page = store_.list(
        {.status = status, .handler = delivery.handler, .key = delivery.key, .limit = 1});
    if (!page.items.empty() && page.items.front().sequence < delivery.sequence) {
      return page.items.front().id;
    }
  }
  return std::nullopt;
}

Purged Admin::purge_expired(const Retention& retention) {
  Purged total;
  std::size_t limit = maintain::kPurgeLimit;
  for (int failures = 0;;) {
    try {
      const Purged batch = store_.purge(retention, limit);
      total.events += batch.events;
      total.dead += batch.dead;
      total.history += batch.history;
      total.keys += batch.keys;
      if (!batch.more) return total;
      failures = 0;
    } catch (const Error& error) {
      const bool may_pass =
          error.kind() == ErrorKind::unavailable || error.kind() == ErrorKind::conflict;
      if (!may_pass || ++failures > 10) throw;
      limit = maintain::smaller_purge_limit(limit);
    }
  }
}

}  // namespace penstock

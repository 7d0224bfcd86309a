// What an operator does: look, understand, requeue, bury, purge.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "penstock/bus_store.hpp"

namespace penstock {

/// Why a delivery is not running now.
enum class Standing {
  ready,        ///< Due and free: a worker of its handler takes it next.
  not_due,      ///< `available_at` is ahead.
  key_blocked,  ///< `blocked_by` of the same handler and key comes first.
  handler_paused,
  no_handler,     ///< No such subscription; nobody will take it.
  in_flight,      ///< Running; `lease_owner` says where.
  lease_expired,  ///< Its worker is silent; the next claim of any worker takes it over.
  dead,
  completed,
};

[[nodiscard]] std::string_view to_string(Standing standing) noexcept;

struct Explanation {
  DeliveryInfo delivery{};
  Standing standing = Standing::ready;
  std::optional<DeliveryId> blocked_by{};
  std::string sentence{};  ///< For people.
};

/// Operations on a bus store, checked and explained.
///
/// Lives no longer than the store. Threads: thread-safe.
class Admin {
 public:
  explicit Admin(BusStore& store) : store_(store) {}

  [[nodiscard]] DeliveryPage list(const ListQuery& query) { return store_.list(query); }
  /// Empty where there is no such delivery (or it is completed and no history is kept).
  [[nodiscard]] std::optional<Explanation> show(DeliveryId id);
  /// Every delivery of an event that is still known.
  [[nodiscard]] std::vector<Explanation> show(const EventId& id);
  std::int64_t requeue(const Selection& selection) { return store_.requeue(selection); }
  std::int64_t bury(const Selection& selection, std::string_view reason) {
    return store_.bury_selected(selection, reason);
  }
  /// Purges batch by batch until nothing is left; a batch that times out is halved.
  Purged purge_expired(const Retention& retention = {});
  [[nodiscard]] Statistics statistics() { return store_.statistics(); }
  [[nodiscard]] std::vector<Subscription> handlers() { return store_.subscriptions(); }
  [[nodiscard]] Verdict pause(std::string_view handler) {
    return store_.set_subscription_state(handler, SubscriptionState::paused);
  }
  [[nodiscard]] Verdict resume(std::string_view handler) {
    return store_.set_subscription_state(handler, SubscriptionState::active);
  }
  [[nodiscard]] Verdict remove(std::string_view handler) {
    return store_.set_subscription_state(handler, SubscriptionState::removed);
  }

 private:
  Explanation explain(DeliveryInfo delivery, Timestamp now);
  /// Also sets `blocked_by`.
  Standing standing_of(Explanation& what, Timestamp now);
  std::optional<DeliveryId> first_of_key(const DeliveryInfo& delivery);
  BusStore& store_;
};

}  // namespace penstock

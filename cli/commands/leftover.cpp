// Counted from the statistics; the reasons from one walk over the pending deliveries by id, in
// which the deliveries of a key come in their order.
#include "commands/leftover.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "output/text.hpp"

namespace penstock::cli {
namespace {

/// Calls `each` for the first deliveries of `handler` in that state; answers the store's now.
void for_each(BusStore& store, const std::string& handler, DeliveryStatus status,
              const std::function<void(const DeliveryInfo&, Timestamp)>& each) {
  ListQuery query{.status = status, .handler = handler, .limit = 1'000};
  for (std::int64_t seen = 0; seen < kLookedAt;) {
    const DeliveryPage page = store.list(query);
    for (const DeliveryInfo& delivery : page.items) each(delivery, page.at);
    if (!page.next) return;
    seen += static_cast<std::int64_t>(page.items.size());
    query.after = *page.next;
  }
}

void tell_reasons(BusStore& store, const std::string& handler, Leftover& left) {
  std::set<std::string> taken_keys;
  for_each(store, handler, DeliveryStatus::in_flight, [&](const DeliveryInfo& delivery, Timestamp) {
    if (delivery.key) taken_keys.insert(*delivery.key);
  });
  for_each(store, handler, DeliveryStatus::pending,
           [&](const DeliveryInfo& delivery, Timestamp now) {
             if (delivery.key && !taken_keys.insert(*delivery.key).second) {
               ++left.waiting_for_key;
             } else if (delivery.available_at > now) {
               ++left.due_later;
               const Duration in = delivery.available_at - now;
               left.next_due_in = std::min(left.next_due_in.value_or(in), in);
             } else {
               ++left.due;
             }
           });
}

}  // namespace

Leftover leftover_of(BusStore& store, const std::string& handler) {
  Leftover left;
  for (const auto& [name, counts] : store.statistics().handlers) {
    if (name == handler) {
      left.pending = counts.pending;
      left.in_flight = counts.in_flight;
    } else {
      left.other_handlers += counts.pending;
    }
  }
  if (left.pending == 0) return left;
  const std::vector<Subscription> all = store.subscriptions();
  const auto own = std::ranges::find(all, handler, &Subscription::handler);
  if (own != all.end() && own->paused) {
    left.paused = left.pending;
  } else {
    tell_reasons(store, handler, left);
  }
  return left;
}

Json json_of(const Leftover& left) {
  using std::chrono::milliseconds;
  return Json::object()
      .set("pending", left.pending)
      .set("paused", left.paused)
      .set("waiting_for_key", left.waiting_for_key)
      .set("due_later", left.due_later)
      .set("next_due_in_ms", left.next_due_in
                                 ? Json(std::chrono::ceil<milliseconds>(*left.next_due_in).count())
                                 : Json{})
      .set("due", left.due)
      .set("in_flight", left.in_flight)
      .set("other_handlers", left.other_handlers);
}

std::string sentence_of(const Leftover& left, RunEnd end) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::int64_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(left.paused, "paused (penstock handlers resume)");
  add(left.waiting_for_key, "waiting for their key");
  if (left.due_later > 0) {
    parts.push_back(fmt::format("{} due later (next in {})", left.due_later,
                                short_duration(left.next_due_in.value_or(Duration{}))));
  }
  add(left.due,
      end == RunEnd::idle ? "due since the last look, or in lanes of other workers" : "due");
  add(left.pending - left.paused - left.waiting_for_key - left.due_later - left.due,
      "pending that were not looked at");
  add(left.in_flight, "in flight elsewhere");
  add(left.other_handlers, "pending of other handlers");
  return parts.empty() ? std::string{} : fmt::format("left behind: {}", fmt::join(parts, ", "));
}

}  // namespace penstock::cli

// The bus store in memory: the contract in its simplest form. One mutex guards everything; the
// verbs are spread over publish.cpp, claim.cpp, finish.cpp and admin.cpp.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.hpp"
#include "penstock/stores/memory.hpp"
#include "store/memory/delivery_table.hpp"
#include "store/memory/queue/memory_queue.hpp"
#include "store/memory/records.hpp"
#include "store/memory/transaction.hpp"
#include "store/memory/transitions.hpp"
#include "store/memory/wakeup.hpp"

namespace penstock::memory {

/// Threads: thread-safe.
class MemoryBus final : public BusStore {
 public:
  /// `options` has a clock. A commit also writes what its transaction enqueued in `queue`.
  MemoryBus(MemoryStoreOptions options, MemoryQueue& queue)
      : options_(std::move(options)), queue_(queue) {}

  // WorkSource
  [[nodiscard]] Claimed claim(const ClaimRequest& request) override;
  [[nodiscard]] std::vector<Verdict> extend(std::span<const Token> tokens, Duration lease) override;
  [[nodiscard]] std::vector<Verdict> complete(std::span<const Token> tokens,
                                              const Transaction* transaction) override;
  [[nodiscard]] std::vector<Verdict> reschedule(std::span<const Reschedule> items) override;
  [[nodiscard]] std::vector<Verdict> bury(std::span<const Bury> items) override;
  [[nodiscard]] std::vector<Verdict> release(std::span<const Token> tokens) override;
  void relinquish(const WorkerId& worker) override;
  void inherit(const WorkerId& former, const WorkerId& worker,
               std::span<const Token> running) override;

  // BusStore
  [[nodiscard]] Capabilities capabilities() const override;
  void setup(SetupMode mode) override;
  std::vector<Published> publish(std::span<const Event> events,
                                 const Transaction* transaction) override;
  [[nodiscard]] std::unique_ptr<OwnedTransaction> begin() override;
  void subscribe(const Subscription& subscription) override;
  [[nodiscard]] Verdict set_subscription_state(std::string_view handler,
                                               SubscriptionState state) override;
  [[nodiscard]] std::vector<Subscription> subscriptions() override;
  [[nodiscard]] DeliveryPage list(const ListQuery& query) override;
  std::int64_t requeue(const Selection& selection) override;
  std::int64_t bury_selected(const Selection& selection, std::string_view reason) override;
  Purged purge(const Retention& retention, std::size_t limit) override;
  [[nodiscard]] Statistics statistics() override;
  [[nodiscard]] std::unique_ptr<Wakeup> listen() override;

  /// Every event that is kept, in commit order.
  [[nodiscard]] std::vector<Event> published();

  /// Carries out what `pending` holds, or throws `conflict` and does nothing of it.
  void commit(const PendingWrites& pending);

 private:
  /// One claim on its way; see claim.cpp.
  struct Claiming;

  [[nodiscard]] Timestamp now() const { return options_.clock->now(); }

  // publish.cpp
  [[nodiscard]] PlannedEvent plan(std::shared_ptr<const Event> event, LaneId lane,
                                  const PendingWrites* pending) PENSTOCK_REQUIRES(mutex_);
  void apply(const PlannedEvent& planned, Timestamp now) PENSTOCK_REQUIRES(mutex_);
  [[nodiscard]] bool still_holds(const PlannedEvent& planned) PENSTOCK_REQUIRES(mutex_);
  void add_delivery(EventRecord& event, HandlerRecord& handler, KeyRecord* key, Timestamp now)
      PENSTOCK_REQUIRES(mutex_);
  HandlerRecord& handler_named(std::string_view name) PENSTOCK_REQUIRES(mutex_);

  // claim.cpp
  void take_over(std::size_t number, Timestamp now) PENSTOCK_REQUIRES(mutex_);
  /// Hands lane `number` back where `worker` owns it and it runs nothing.
  void give_back_idle(std::size_t number, const WorkerId& worker) PENSTOCK_REQUIRES(mutex_);
  /// What this claim may take from, the oldest on top.
  void gather(Claiming& claiming) PENSTOCK_REQUIRES(mutex_);
  [[nodiscard]] bool must_yield(const Claiming& claiming, const Lane& lane, const Waiting& own)
      PENSTOCK_REQUIRES(mutex_);
  void take_from(Claiming& claiming, Lane& lane, HandlerQueue& queue, std::size_t& room)
      PENSTOCK_REQUIRES(mutex_);
  void take_run(Claiming& claiming, Lane& lane, Delivery& first, std::size_t& room)
      PENSTOCK_REQUIRES(mutex_);
  void take(Claiming& claiming, Lane& lane, Delivery& delivery) PENSTOCK_REQUIRES(mutex_);

  // finish.cpp
  /// The delivery that `token` has in flight; null where the token is lost.
  [[nodiscard]] Delivery* in_flight(const Token& token) PENSTOCK_REQUIRES(mutex_);
  void move(Delivery& delivery, Actor actor, DeliveryStatus to) PENSTOCK_REQUIRES(mutex_);
  /// Takes a delivery out of its lane's in_flight: the claim has ended and its token is lost.
  void end_claim(Delivery& delivery) PENSTOCK_REQUIRES(mutex_);
  /// Ends its claim and makes it due again, as if it had not been claimed.
  void give_back(Delivery& delivery) PENSTOCK_REQUIRES(mutex_);
  void finish_completed(Delivery& delivery, Timestamp now) PENSTOCK_REQUIRES(mutex_);
  void forget(Delivery& delivery) PENSTOCK_REQUIRES(mutex_);
  void start_waiting(Delivery& delivery) PENSTOCK_REQUIRES(mutex_);
  void stop_waiting(Delivery& delivery) PENSTOCK_REQUIRES(mutex_);
  void expose_first(KeyQueue& queue) PENSTOCK_REQUIRES(mutex_);
  void show_to_claims(Delivery& delivery) PENSTOCK_REQUIRES(mutex_);
  void hide_from_claims(Delivery& delivery) PENSTOCK_REQUIRES(mutex_);

  // admin.cpp
  [[nodiscard]] DeliveryInfo describe(const Delivery& delivery) PENSTOCK_REQUIRES(mutex_);
  [[nodiscard]] std::vector<Delivery*> selected(const Selection& selection)
      PENSTOCK_REQUIRES(mutex_);

  [[nodiscard]] Lane& lane_of(const Delivery& delivery) PENSTOCK_REQUIRES(mutex_) {
    return lanes_[static_cast<std::size_t>(delivery.lane.value)];
  }

  const MemoryStoreOptions options_;
  MemoryQueue& queue_;  ///< Its mutex is taken after mutex_, if both are.
  WakeupHub wakeups_;   ///< Its mutex is taken after mutex_, if both are.

  base::Mutex mutex_;
  std::map<std::string, std::unique_ptr<HandlerRecord>, std::less<>> handlers_
      PENSTOCK_GUARDED_BY(mutex_);
  std::unordered_map<EventId, EventRecord> events_ PENSTOCK_GUARDED_BY(mutex_);
  std::unordered_map<std::string, KeyRecord> keys_ PENSTOCK_GUARDED_BY(mutex_);
  DeliveryTable deliveries_ PENSTOCK_GUARDED_BY(mutex_);
  std::map<std::int64_t, DeliveryInfo> completed_ PENSTOCK_GUARDED_BY(mutex_);
  std::array<Lane, kLanes> lanes_ PENSTOCK_GUARDED_BY(mutex_);
  LaneSet owned_ PENSTOCK_GUARDED_BY(mutex_);  ///< Lanes that have an owner.
  std::int64_t last_ordinal_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::int64_t takeovers_ PENSTOCK_GUARDED_BY(mutex_) = 0;
};

}  // namespace penstock::memory

// The contract of a bus store. Every store passes tests/contract, which is this file, executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "penstock/limits.hpp"
#include "penstock/work_source.hpp"

namespace penstock {

inline constexpr int kLanes = 256;

/// What a store can and cannot do; asked, never guessed.
struct Capabilities {
  std::string store{};                              ///< "memory", "sqlite", ….
  std::size_t max_payload = limits::kPayloadBytes;  ///< Bytes.
  bool durable = true;                              ///< Survives the end of the process.
  bool several_processes = true;
  bool completion_history = false;    ///< Completed deliveries are kept and listed.
  bool borrowed_transactions = true;  ///< Can publish in a transaction of the caller's connection.
};

/// Who gets which events. Written when a handler subscribes; publishers need not know handlers.
struct Subscription {
  std::string handler{};
  /// Patterns: exact (`order.paid`), `order.*` (one or more further segments), `*`.
  std::vector<std::string> types{};
  /// Charged attempts after which a crash buries a delivery that ran alone.
  int max_attempts = 25;
  bool paused = false;  ///< Read only here: `set_subscription_state` changes it.
};

enum class SubscriptionState { active, paused, removed };

enum class PublishStatus {
  created,    ///< A new event.
  duplicate,  ///< The id was there already; `handlers` says which deliveries were added.
};

struct Published {
  EventId id;
  PublishStatus status = PublishStatus::created;
  std::vector<std::string> handlers{};  ///< That got a delivery by this call.
};

enum class DeliveryStatus { pending, in_flight, dead, completed };

[[nodiscard]] std::string_view to_string(DeliveryStatus status) noexcept;
[[nodiscard]] std::optional<DeliveryStatus> parse_delivery_status(std::string_view text) noexcept;

/// A delivery as an operator sees it.
struct DeliveryInfo {
  DeliveryId id{};
  EventId event_id{EventId::Bytes{}};
  std::string handler{};
  std::string type{};
  std::optional<std::string> key{};
  std::optional<std::int64_t> sequence{};
  LaneId lane{};
  /// `in_flight` comes from the leases, also between a crash and its takeover.
  DeliveryStatus status = DeliveryStatus::pending;
  int attempts = 0;
  bool suspect = false;
  Timestamp available_at{};
  Timestamp created_at{};
  Timestamp updated_at{};  ///< completed: when it was completed.
  std::string last_error{};
  std::optional<std::string> lease_owner{};     ///< in_flight only.
  std::optional<Timestamp> lease_expires_at{};  ///< in_flight only.
  std::shared_ptr<const Event> event{};  ///< Only where the query asked for it and it is kept.
};

enum class Detail { summary, with_event };

/// All conditions must hold. Ascending by id.
struct ListQuery {
  std::optional<DeliveryStatus> status{};
  std::optional<std::string> handler{};
  std::optional<std::string> type{};  ///< Exact.
  std::optional<std::string> key{};
  std::optional<EventId> event_id{};
  std::optional<DeliveryId> delivery_id{};
  DeliveryId after{};       ///< The cursor: ids are unique, so no row is skipped or repeated.
  std::size_t limit = 100;  ///< 1 or more.
  Detail detail = Detail::summary;
};

struct DeliveryPage {
  Timestamp at{};  ///< The store's now.
  std::vector<DeliveryInfo> items{};
  std::optional<DeliveryId> next{};  ///< `after` of the next page; empty at the end.
};

/// Which deliveries an operator's action is about. At least one condition is required.
struct Selection {
  std::optional<DeliveryId> delivery_id{};
  std::optional<EventId> event_id{};
  std::optional<std::string> handler{};
  bool all = false;  ///< Every delivery that the action can apply to.
};

struct HandlerStatistics {
  std::int64_t pending = 0;  ///< Not in flight, due or not.
  std::int64_t due = 0;      ///< Of those, due now.
  std::int64_t in_flight = 0;
  std::int64_t dead = 0;
  std::int64_t completed = 0;  ///< 0 without completion history.
  /// How long the oldest due delivery has been due; counts ownerless work too.
  std::optional<Duration> oldest_due{};
};

struct LaneInfo {
  LaneId lane{};
  Epoch epoch{};
  std::optional<std::string> owner{};
  std::optional<Timestamp> expires_at{};
  std::vector<DeliveryId> in_flight{};
};

struct Statistics {
  Timestamp at{};  ///< The store's now.
  std::int64_t events = 0;
  std::map<std::string, HandlerStatistics, std::less<>> handlers{};
  /// Lanes that were ever held; ascending.
  std::vector<LaneInfo> lanes{};
  /// Takeovers of a lease that had work in flight, since the store was made.
  std::int64_t takeovers = 0;
};

/// How long things are kept. It must exceed the longest redelivery window of a broker: after it, a
/// repeated event id is a new event.
struct Retention {
  Duration completed = std::chrono::days{7};  ///< Events without deliveries, history, unused keys.
  Duration dead = std::chrono::days{30};
};

struct Purged {
  std::int64_t events = 0;
  std::int64_t dead = 0;
  std::int64_t history = 0;
  std::int64_t keys = 0;
  bool more = false;  ///< The limit was reached: call again.
};

enum class SetupMode {
  migrate,  ///< Create or upgrade the tables. Safe in many processes at once, and repeatable.
  /// As `migrate`, and from version 0.1.0 also while its workers hold leases: what they run is run
  /// again.
  force,
  check,  ///< Throw `schema`, naming the command to run, where they are not current.
};

/// Hints that work may be due. Correctness never needs them.
///
/// Threads: `wait` by one thread; `interrupt` by any.
class Wakeup {
 public:
  enum class Reason { hint, timeout, interrupted };

  virtual ~Wakeup() = default;
  /// Returns at a hint that came since the last call, at `interrupt`, or after `timeout`.
  virtual Reason wait(Duration timeout) = 0;
  /// Makes the current `wait`, or else the next one, return.
  virtual void interrupt() = 0;
};

/// A back end of the bus.
///
/// Every call but `setup` throws `schema` where the tables are missing or of another version.
/// Threads: thread-safe.
class BusStore : public WorkSource {
 public:
  [[nodiscard]] virtual Capabilities capabilities() const = 0;

  /// Throws: schema (newer tables than this program knows; or not current, with `check`),
  ///         unavailable, conflict (a worker of version 0.1.0 holds a lease, too).
  virtual void setup(SetupMode mode) = 0;

  /// Stores the events and one delivery for each subscribed handler, all or nothing, in the
  /// caller's transaction where there is one, else in one of its own.
  ///
  /// Answers for each event in order. An id that is there already adds deliveries only for handlers
  /// that never had one; the stored event does not change. Deliveries of one key get their sequence
  /// in the order of `events`, and across transactions in commit order.
  ///
  /// Throws: usage (nothing was written), unavailable, conflict, in_doubt (publish again with the
  ///         same ids: set `Event::id`).
  virtual std::vector<Published> publish(std::span<const Event> events,
                                         const Transaction* transaction) = 0;

  /// Begins a transaction for a transactional handler. The store gives access to its connection,
  /// for example `penstock::sqlite::connection(transaction)`.
  [[nodiscard]] virtual std::unique_ptr<OwnedTransaction> begin() = 0;

  /// Adds a handler, or replaces its patterns and attempts; keeps whether it is paused.
  ///
  /// Events published before it are not delivered to it.
  /// Throws: usage.
  virtual void subscribe(const Subscription& subscription) = 0;

  /// Pauses, resumes or removes. Pending deliveries of a removed handler stay and can be listed.
  /// `lost` where there is no such handler.
  [[nodiscard]] virtual Verdict set_subscription_state(std::string_view handler,
                                                       SubscriptionState state) = 0;

  /// By name.
  [[nodiscard]] virtual std::vector<Subscription> subscriptions() = 0;

  /// Throws: usage (a limit of 0).
  [[nodiscard]] virtual DeliveryPage list(const ListQuery& query) = 0;

  /// An operator's second chance: dead deliveries become due now with a fresh budget. Keeps the
  /// mark of a suspect. Returns how many. Throws: usage (an empty selection).
  virtual std::int64_t requeue(const Selection& selection) = 0;

  /// An operator's end of deliveries that are pending or in flight: dead letters. A running attempt
  /// finds its token lost. The last error becomes the reason, or `REASON (before: LAST ERROR)`, cut
  /// to 8 KiB. Returns how many. Throws: usage.
  virtual std::int64_t bury_selected(const Selection& selection, std::string_view reason) = 0;

  /// Deletes at most `limit` rows of each kind that outlived their retention.
  virtual Purged purge(const Retention& retention, std::size_t limit) = 0;

  [[nodiscard]] virtual Statistics statistics() = 0;

  /// The returned object lives no longer than the store.
  [[nodiscard]] virtual std::unique_ptr<Wakeup> listen() = 0;
};

}  // namespace penstock

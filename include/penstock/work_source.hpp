// The waist of penstock: the eight calls through which the dispatcher meets a store.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/clock.hpp"
#include "penstock/event.hpp"
#include "penstock/ids.hpp"
#include "penstock/transaction.hpp"

namespace penstock {

/// What a claim hands out and every later write must present. The only fence there is: attempt
/// numbers and owner names are never compared.
struct Token {
  std::int64_t work_id = 0;  ///< Delivery or job.
  /// Bus: lane, epoch, claims. Queue: claim, ordinal, worker. The store's own business.
  std::array<std::int64_t, 3> fence{};
  friend constexpr auto operator<=>(const Token&, const Token&) noexcept = default;
};

/// `lane:epoch:claims`, for logs and `show`.
[[nodiscard]] std::string to_string(const Token& token);

/// Whether a write under a token took effect.
enum class Verdict {
  done,
  lost,  ///< The lease passed to another, the work ended already, or it is gone. Nothing was
         ///< written.
};

struct StoredJob;

/// One claimed piece of work: a delivery has an `event`, a job has a `job`.
struct Work {
  Token token{};
  std::string handler{};  ///< Of a job: its queue.
  /// Shared by the deliveries of one event; its `id` is set.
  std::shared_ptr<const Event> event{};
  std::shared_ptr<const StoredJob> job{};
  /// Position within the ordering key; absent without a key.
  std::optional<std::int64_t> sequence{};
  int attempts = 0;          ///< Charged so far; the attempt that begins is `attempts + 1`.
  bool suspect = false;      ///< Was in flight when its process died; runs alone.
  Timestamp published_at{};  ///< Of a job: when it was enqueued.
};

/// A handler that this worker runs (or a queue), and how much more work of it can be taken now.
struct HandlerRoom {
  std::string_view handler;
  std::size_t room = 0;
};

enum class SuspectPolicy {
  leave,       ///< Something runs in this process: leave suspects where they are.
  take_alone,  ///< Nothing runs: where a suspect is due, the batch is that one suspect.
};

struct ClaimRequest {
  const WorkerId& worker;
  std::span<const HandlerRoom> handlers;  ///< Work of other handlers is left alone.
  std::size_t limit = 10;
  /// How many deliveries of one (handler, key) may be claimed together. They run in sequence.
  std::size_t run_limit = 1;
  Duration lease = std::chrono::seconds{30};
  SuspectPolicy suspects = SuspectPolicy::leave;
};

struct Claimed {
  /// Deliveries of one (handler, key) stand in sequence order.
  std::vector<Work> work{};
  /// Suspects are due that this claim had to leave; finish what runs, then claim with take_alone.
  bool suspects_wait = false;
  /// How long until the next known delivery of the named handlers is due, or until the store wants
  /// to be asked again because work keeps coming; a hint, may be absent. Zero: some is due but was
  /// left for another worker this once; ask again.
  std::optional<Duration> next_due_in{};
};

enum class Charge {
  charge,  ///< The attempt counts (retry).
  keep,    ///< It does not (snooze).
};

struct Reschedule {
  Token token{};
  Duration delay{};  ///< From the store's now.
  Charge charge = Charge::charge;
  std::string error{};  ///< Kept as the last error where not empty; cut to 8 KiB.
};

struct Bury {
  Token token{};
  std::string reason{};  ///< Kept as the last error; cut to 8 KiB.
};

/// Where the dispatcher gets work, and where it says how it ended.
///
/// A write takes a batch, answers for each element in order, and is one transaction: an exception
/// means that none of it took effect, except `in_doubt`. A lost token is an answer, never a failure
/// of its neighbours.
///
/// Threads: thread-safe.
class WorkSource {
 public:
  virtual ~WorkSource() = default;

  /// Takes due work for `request.worker` and records it as in flight under its leases.
  ///
  /// Expired leases are taken over first, whoever's work they hold: everything that was in flight
  /// is charged one attempt and marked suspect, and is buried by it only if it ran alone and has
  /// spent its attempts. Paused handlers' work is left. Of one (handler, key) nothing is taken
  /// while an earlier delivery is pending elsewhere or in flight. No lane waits for ever while
  /// others are served. Leases that run nothing and are not used by this claim are handed back; so
  /// is, once it runs nothing, a lane in which work of handlers that the request does not name has
  /// waited longer. A claim that finds nothing writes nothing.
  ///
  /// Time:    the lease runs on the store's clock from the commit of this call.
  /// Throws:  unavailable, conflict, schema, internal; in_doubt: what it took, if anything, nobody
  ///          knows. Call `inherit` then, or it stays in flight for as long as the lease of its
  ///          lane is extended for something else.
  [[nodiscard]] virtual Claimed claim(const ClaimRequest& request) = 0;

  /// Lets the leases behind `tokens` run for `lease` from now.
  ///
  /// Throws:  unavailable, conflict.
  [[nodiscard]] virtual std::vector<Verdict> extend(std::span<const Token> tokens,
                                                    Duration lease) = 0;

  /// Ends attempts as done. With a transaction the completion commits or rolls back with it.
  ///
  /// Throws:  unavailable, conflict, in_doubt; usage (a transaction of another store).
  [[nodiscard]] virtual std::vector<Verdict> complete(std::span<const Token> tokens,
                                                      const Transaction* transaction) = 0;

  /// Ends attempts that shall be tried again. Clears the mark of a suspect.
  [[nodiscard]] virtual std::vector<Verdict> reschedule(std::span<const Reschedule> items) = 0;

  /// Ends attempts for good: dead letters, until an operator requeues them.
  [[nodiscard]] virtual std::vector<Verdict> bury(std::span<const Bury> items) = 0;

  /// Gives work back without spending an attempt; due again at once.
  [[nodiscard]] virtual std::vector<Verdict> release(std::span<const Token> tokens) = 0;

  /// Hands back every lease of `worker` that runs nothing.
  virtual void relinquish(const WorkerId& worker) = 0;

  /// Makes `worker` the owner of every lease of `former`, which is the same process under its name
  /// before. What `running` names stays in flight, its tokens hold on; whatever else is in flight
  /// under those leases is given back without spending an attempt, and is due again at once.
  ///
  /// After a claim of `former` that ended `in_doubt`. Another claim of `former` that still runs in
  /// the server takes nothing from these lanes any more; what it takes elsewhere expires. Repeating
  /// the call does no harm.
  ///
  /// Throws:  unavailable, conflict, in_doubt.
  virtual void inherit(const WorkerId& former, const WorkerId& worker,
                       std::span<const Token> running) = 0;
};

}  // namespace penstock

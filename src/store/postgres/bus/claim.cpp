// Claim: one call of the function claim, and its rows turned into work.
#include <algorithm>
#include <unordered_map>

#include "penstock/error.hpp"
#include "store/postgres/bus/headers.hpp"
#include "store/postgres/bus/postgres_bus.hpp"
#include "store/postgres/sql.hpp"
#include "work/check.hpp"
#include "work/token.hpp"

namespace penstock::postgres::detail {
namespace {

using Steady = ClaimMemory::Steady;

struct Batch {
  Claimed claimed{};
  std::vector<Unreadable> unreadable{};
  ClaimOutcome outcome{};
  bool lost = false;  ///< Another took some of what was found.
};

/// Rows of claim.sql, by column.
namespace column {
enum : int {
  id,
  lane,
  epoch,
  claims,
  handler,
  key,
  sequence,
  attempts,
  suspect,
  event_id,
  published_at,
  type,
  content_type,
  headers,
  payload,
  suspects_wait,
  next_due,
  lost,
  cut,
  cut_at,
  cut_ids,
  go_on,
  all_at,
  held
};
}  // namespace column

void read_first(const Row& row, Batch& batch) {
  batch.claimed.suspects_wait = row.boolean(column::suspects_wait);
  batch.claimed.next_due_in = row.optional_duration(column::next_due);
  batch.lost = row.boolean(column::lost);
  batch.outcome.walk_on = row.optional_text(column::go_on);
  if (!row.is_null(column::all_at)) {
    batch.outcome.looked_at = row.time(column::all_at);
    if (!row.is_null(column::held)) batch.outcome.held = row.integers(column::held);
  }
  if (row.is_null(column::cut)) return;
  batch.outcome.cut_lanes = row.integers(column::cut);
  batch.outcome.cut_at = row.times(column::cut_at);
  batch.outcome.cut_ids = row.integers(column::cut_ids);
}

std::shared_ptr<const Event> event_of(const Row& row) {
  if (row.is_null(column::type)) {
    throw Error(ErrorKind::internal, "it is not stored any more");
  }
  return std::make_shared<const Event>(
      Event{.type = std::string(row.text(column::type)),
            .key = row.optional_text(column::key),
            .payload = std::string(row.bytes(column::payload)),
            .id = row.uuid(column::event_id),
            .content_type = std::string(row.text(column::content_type)),
            .headers = headers_from_json(row.text(column::headers))});
}

/// One event may have several deliveries in a batch.
using Events = std::map<EventId, std::shared_ptr<const Event>>;

void read_work(const Row& row, Events& events, Batch& batch) {
  const LaneId lane{static_cast<std::int32_t>(row.integer(column::lane))};
  const Token token =
      work::lane_token(DeliveryId{row.integer(column::id)}, lane, Epoch{row.integer(column::epoch)},
                       row.integer(column::claims));
  if (!batch.outcome.first_lane) batch.outcome.first_lane = lane;
  if (batch.outcome.last_lane != lane) batch.outcome.lanes.push_back(lane.value);
  batch.outcome.last_lane = lane;
  std::shared_ptr<const Event>& event = events[row.uuid(column::event_id)];
  try {
    if (!event) event = event_of(row);
  } catch (const Error& error) {
    batch.unreadable.push_back({token, error.what()});
    return;
  }
  batch.claimed.work.push_back({.token = token,
                                .handler = std::string(row.text(column::handler)),
                                .event = event,
                                .sequence = row.optional_integer(column::sequence),
                                .attempts = static_cast<int>(row.integer(column::attempts)),
                                .suspect = row.boolean(column::suspect),
                                .published_at = row.time(column::published_at)});
}

void check_request(const ClaimRequest& request) {
  if (request.lease <= Duration::zero()) {
    throw Error(ErrorKind::usage, "the lease of a claim must be longer than zero",
                {.operation = "claim", .field = "lease"});
  }
}

std::int32_t bounded(std::size_t value) {
  return static_cast<std::int32_t>(std::min<std::size_t>(value, 100'000));
}

/// The handlers and rooms of a request, each in its turn first.
struct Rooms {
  Rooms(std::span<const HandlerRoom> handlers, std::size_t turn) {
    for (std::size_t i = 0; i < handlers.size(); ++i) {
      const HandlerRoom& handler = handlers[(i + turn) % handlers.size()];
      names.push_back(handler.handler);
      rooms.push_back(bounded(handler.room));
    }
  }
  std::vector<std::string_view> names;
  std::vector<std::int32_t> rooms;
};

}  // namespace

void PostgresBus::bury_unreadable(std::span<const Unreadable> unreadable) {
  if (unreadable.empty()) return;
  std::vector<Bury> damaged;
  damaged.reserve(unreadable.size());
  for (const Unreadable& one : unreadable) {
    damaged.push_back({.token = one.token, .reason = "its event cannot be read: " + one.reason});
  }
  try {
    static_cast<void>(bury(damaged));
  } catch (const Error& error) {
    // The claim has committed. Whoever called must know that it holds more than it was told.
    throw Error(ErrorKind::in_doubt,
                std::string("claim: something unreadable could not be buried: ") + error.what());
  }
}

Claimed PostgresBus::claim(const ClaimRequest& request) {
  check_request(request);
  const std::string_view worker = request.worker.value();
  const Steady::time_point began = Steady::now();
  const ClaimMemory::Plan plan = memory_.plan(worker, began);
  const Rooms rooms{request.handlers, plan.turn};
  Batch batch = database_.call("claim", Effect::once, [&](Connection& connection) {
    const Result rows = connection.query(
        sql::claim, worker, rooms.names, rooms.rooms, bounded(request.limit),
        bounded(request.run_limit), request.lease, request.suspects == SuspectPolicy::take_alone,
        plan.first_lane, plan.near, plan.looked_at, plan.rescan, plan.cursor_at, plan.cursor_ids,
        plan.walk_after, plan.gone);
    Batch read;
    Events events;
    for (const Row row : rows) {
      if (row.is_null(column::id)) {
        read_first(row, read);
      } else {
        read_work(row, events, read);
      }
    }
    return read;
  });
  const Steady::time_point ended = Steady::now();
  batch.outcome.rescanned = plan.rescan;
  batch.outcome.full = batch.claimed.work.size() >= request.limit;
  batch.outcome.took = ended - began;
  memory_.learn(worker, batch.outcome, ended);

  bury_unreadable(batch.unreadable);
  const bool is_full = batch.claimed.work.size() >= request.limit;
  const Found found = is_full                      ? Found::full_batch
                      : batch.claimed.work.empty() ? Found::nothing
                                                   : Found::some;
  if (const auto soon = demand_.claim_ended(found, ended)) {
    batch.claimed.next_due_in = std::min(batch.claimed.next_due_in.value_or(*soon), *soon);
  }
  if (!batch.unreadable.empty() || (!is_full && (batch.lost || batch.outcome.was_cut()))) {
    batch.claimed.next_due_in = Duration::zero();
  }
  return std::move(batch.claimed);
}

void PostgresBus::relinquish(const WorkerId& worker) {
  database_.call("relinquish", Effect::repeatable, [&](Connection& connection) {
    static_cast<void>(connection.query(sql::relinquish, worker.value()));
  });
  database_.hints().raise();
}

}  // namespace penstock::postgres::detail

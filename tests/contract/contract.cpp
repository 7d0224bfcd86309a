// The verbs that the contract tests are written in.
#include "contract/contract.hpp"

#include <ostream>

#include "work/lane_hash.hpp"

namespace penstock::contract {

void PrintTo(const StoreUnderTest& store, std::ostream* out) { *out << store.name; }

void Contract::start(const StoreSetup& setup) {
  fixture_.reset();
  clock_ = std::make_shared<ManualClock>();
  fixture_ = GetParam().make(clock_, setup);
}

void Contract::subscribe(std::string handler, std::string pattern, int max_attempts) {
  bus().subscribe(
      {.handler = std::move(handler), .types = {std::move(pattern)}, .max_attempts = max_attempts});
}

Published Contract::publish(Event event) {
  const std::vector<Published> published = bus().publish({&event, 1}, nullptr);
  EXPECT_EQ(published.size(), 1U);
  return published.at(0);
}

EventId Contract::publish_type(std::string type) { return publish({.type = std::move(type)}).id; }

std::vector<EventId> Contract::publish_key(const std::string& key, int count) {
  std::vector<EventId> ids;
  for (int i = 0; i < count; ++i) ids.push_back(publish(keyed(key, std::to_string(i))).id);
  return ids;
}

std::vector<EventId> Contract::publish_many(int count) {
  std::vector<Event> events;
  for (int i = 0; i < count; ++i) {
    events.push_back({.type = "order.paid", .payload = std::to_string(i)});
  }
  std::vector<EventId> ids;
  for (const Published& published : bus().publish(events, nullptr)) ids.push_back(published.id);
  return ids;
}

Claimed Contract::claim(const ClaimWish& wish) {
  std::vector<HandlerRoom> rooms;
  for (const std::string& handler : wish.handlers) rooms.push_back({handler, wish.room});
  const WorkerId worker{wish.worker};
  return bus().claim({.worker = worker,
                      .handlers = rooms,
                      .limit = wish.limit,
                      .run_limit = wish.run_limit,
                      .lease = wish.lease,
                      .suspects = wish.suspects});
}

Work Contract::claim_one(const ClaimWish& wish) {
  Claimed claimed = claim(wish);
  EXPECT_EQ(claimed.work.size(), 1U) << "exactly one delivery should have been due";
  if (claimed.work.empty()) throw std::runtime_error("nothing was claimed");
  return claimed.work.front();
}

Verdict Contract::complete(const Token& token) {
  return bus().complete({&token, 1}, nullptr).at(0);
}

Verdict Contract::complete(const Token& token, const Transaction& transaction) {
  return bus().complete({&token, 1}, &transaction).at(0);
}

Verdict Contract::extend(const Token& token, Duration lease) {
  return bus().extend({&token, 1}, lease).at(0);
}

Verdict Contract::release(const Token& token) { return bus().release({&token, 1}).at(0); }

Verdict Contract::bury(const Token& token, std::string reason) {
  const Bury item{.token = token, .reason = std::move(reason)};
  return bus().bury({&item, 1}).at(0);
}

Verdict Contract::retry(const Token& token, Duration delay, std::string error) {
  const Reschedule item{.token = token, .delay = delay, .error = std::move(error)};
  return bus().reschedule({&item, 1}).at(0);
}

Verdict Contract::snooze(const Token& token, Duration delay) {
  const Reschedule item{.token = token, .delay = delay, .charge = Charge::keep};
  return bus().reschedule({&item, 1}).at(0);
}

void Contract::relinquish(const std::string& worker) { bus().relinquish(WorkerId{worker}); }
void Contract::inherit(const std::string& former, const std::string& worker,
                       const std::vector<Token>& running) {
  bus().inherit(WorkerId{former}, WorkerId{worker}, running);
}

std::vector<DeliveryInfo> Contract::list(const ListQuery& query) {
  std::vector<DeliveryInfo> items;
  ListQuery page = query;
  while (true) {
    DeliveryPage found = bus().list(page);
    for (DeliveryInfo& item : found.items) items.push_back(std::move(item));
    if (!found.next) return items;
    page.after = *found.next;
  }
}

DeliveryInfo Contract::show(const EventId& id, std::string_view handler) {
  std::vector<DeliveryInfo> items =
      list({.handler = std::string(handler), .event_id = id, .detail = Detail::with_event});
  EXPECT_EQ(items.size(), 1U) << "one delivery of this event and handler should be known";
  if (items.empty()) throw std::runtime_error("no such delivery");
  return items.front();
}

std::size_t Contract::count(DeliveryStatus status) { return list({.status = status}).size(); }

HandlerStatistics Contract::statistics_of(std::string_view handler) {
  const Statistics statistics = bus().statistics();
  const auto found = statistics.handlers.find(handler);
  return found == statistics.handlers.end() ? HandlerStatistics{} : found->second;
}

Purged Contract::purge_all(const Retention& retention) {
  Purged sum;
  for (int rounds = 0; rounds < 1'000; ++rounds) {
    const Purged purged = bus().purge(retention, 1'000);
    sum.events += purged.events;
    sum.dead += purged.dead;
    sum.history += purged.history;
    sum.keys += purged.keys;
    if (!purged.more) return sum;
  }
  ADD_FAILURE() << "a purge that never ends";
  return sum;
}

std::vector<Work> Contract::crash(const ClaimWish& wish) {
  std::vector<Work> work = claim(wish).work;
  clock().advance(wish.lease + 1s);
  return work;
}

void Contract::crash_and_take_over(const ClaimWish& wish) {
  const std::vector<Work> work = crash(wish);
  ASSERT_FALSE(work.empty()) << "nothing was in flight";
  // A worker without handlers takes leases over and takes no work.
  EXPECT_EQ(claimed_count({.worker = "undertaker", .handlers = {"handler-of-nobody"}}), 0U);
}

Event keyed(std::string key, std::string payload) {
  return {.type = "order.paid", .key = std::move(key), .payload = std::move(payload)};
}

Token token_of(const Work& work) { return work.token; }

std::vector<Token> tokens_of(const std::vector<Work>& work) {
  std::vector<Token> tokens;
  for (const Work& one : work) tokens.push_back(one.token);
  return tokens;
}

std::vector<EventId> ids_of(const std::vector<Work>& work) {
  std::vector<EventId> ids;
  for (const Work& one : work) ids.push_back(*one.event->id);
  return ids;
}

std::vector<std::string> keys_in_lane(int lane, int count) {
  std::vector<std::string> keys;
  for (int i = 0; keys.size() < static_cast<std::size_t>(count); ++i) {
    std::string key = "key-" + std::to_string(i);
    if (work::lane_of(key).value == lane) keys.push_back(std::move(key));
  }
  return keys;
}

EventId event_id(int n) {
  EventId::Bytes bytes{0x01, 0x90, 0, 0, 0, 0, 0x70, 0, 0x80};
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[12 + i] = static_cast<std::uint8_t>(static_cast<unsigned>(n) >> (24 - 8 * i));
  }
  return EventId{bytes};
}

std::optional<Refusal> refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return Refusal{error.kind(), error.field(), error.limit()};
  }
  return std::nullopt;
}

}  // namespace penstock::contract

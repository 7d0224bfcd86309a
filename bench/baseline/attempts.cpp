// Claim, and the ends of attempts: for each delivery one statement, all of a batch in one pipeline,
// in the order of their ids, as everybody locks them.
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>

#include "baseline_bus.hpp"
#include "penstock/error.hpp"
#include "store/baseline/sql.hpp"
#include "store/postgres/pipeline.hpp"
#include "stored_payload.hpp"
#include "work/check.hpp"

namespace penstock::bench {
namespace {

using postgres::detail::Connection;
using postgres::detail::Effect;
using postgres::detail::Parameters;
using postgres::detail::Pipeline;
using postgres::detail::Result;
using postgres::detail::Row;
using postgres::detail::SqlText;
namespace sql = baseline::detail::sql;

/// Rows of claim.sql, by column.
namespace column {
enum : int { id, handler, sequence, attempts, event_id, published_at, type, key, headers, payload };
}  // namespace column

// Of the delivery's id, the random half is the number of the work, and the other half follows it.
std::array<std::int64_t, 2> halves_of(const EventId& id) {
  return std::bit_cast<std::array<std::int64_t, 2>>(id.bytes());
}
std::string text_of(std::int64_t first, std::int64_t second) {
  return EventId(std::bit_cast<EventId::Bytes>(std::array{first, second})).to_string();
}

Token token_of(std::string_view id, const EventId& lease) {
  const std::optional<EventId> parsed = EventId::parse(id);
  if (!parsed) throw Error(ErrorKind::internal, "the id of a delivery is no UUID");
  const auto delivery = halves_of(*parsed);
  const auto token = halves_of(lease);
  return {.work_id = delivery[1], .fence = {delivery[0], token[0], token[1]}};
}

std::string delivery_of(const Token& token) { return text_of(token.fence[0], token.work_id); }
std::string lease_of(const Token& token) { return text_of(token.fence[1], token.fence[2]); }

/// One event may have several deliveries in a batch.
using Events = std::map<std::string, std::shared_ptr<const Event>, std::less<>>;

std::shared_ptr<const Event> event_of(const Row& row, Events& events) {
  std::shared_ptr<const Event>& known = events[std::string(row.text(column::event_id))];
  if (known) return known;
  Event event{.type = std::string(row.text(column::type)), .key = row.optional_text(column::key)};
  event.id = EventId::parse(row.text(column::event_id));
  restore(event, row.text(column::payload), row.text(column::headers));
  known = std::make_shared<const Event>(std::move(event));
  return known;
}

Work work_of(const Row& row, const EventId& lease, Events& events) {
  return {.token = token_of(row.text(column::id), lease),
          .handler = std::string(row.text(column::handler)),
          .event = event_of(row, events),
          .sequence = row.optional_integer(column::sequence),
          .attempts = static_cast<int>(row.integer(column::attempts)),
          .published_at = row.time(column::published_at)};
}

std::int32_t bounded(std::size_t value) {
  return static_cast<std::int32_t>(std::min<std::size_t>(value, 100'000));
}

/// `add_more` adds what follows id and token.
template <typename Item, typename TokenOf, typename AddMore>
std::vector<Verdict> write_each(Connection& connection, const SqlText& statement,
                                std::span<const Item> items, TokenOf token, AddMore add_more) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::string> ids;
  for (const Item& item : items) ids.push_back(delivery_of(token(item)));
  std::ranges::sort(order, {}, [&](std::size_t i) -> const std::string& { return ids[i]; });
  Pipeline pipeline(connection);
  for (const std::size_t i : order) {
    Parameters parameters = Parameters::of(ids[i], lease_of(token(items[i])));
    add_more(parameters, items[i]);
    pipeline.add(statement, std::move(parameters));
  }
  const std::vector<Result> results = pipeline.finish();
  std::vector<Verdict> verdicts(items.size(), Verdict::lost);
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (results.at(place).affected() == 1) verdicts.at(order[place]) = Verdict::done;
  }
  return verdicts;
}

constexpr auto kItself = [](const Token& token) { return token; };
constexpr auto kOfItem = [](const auto& item) { return item.token; };
constexpr auto kNoMore = [](Parameters&, const Token&) {};

}  // namespace

Claimed BaselineBus::claim(const ClaimRequest& request) {
  if (request.lease <= Duration::zero()) {
    throw Error(ErrorKind::usage, "the lease of a claim must be longer than zero",
                {.operation = "claim", .field = "lease"});
  }
  std::vector<std::string_view> handlers;
  std::vector<std::int32_t> rooms;
  for (const HandlerRoom& handler : request.handlers) {
    handlers.push_back(handler.handler);
    rooms.push_back(bounded(handler.room));
  }
  const EventId lease = EventId::generate();
  return database_.call("claim", Effect::once, [&](Connection& connection) {
    const Result rows = connection.query(sql::claim, request.worker.value(), handlers, rooms,
                                         bounded(request.limit), request.lease, lease.to_string());
    Claimed claimed;
    Events events;
    for (const Row row : rows) claimed.work.push_back(work_of(row, lease, events));
    return claimed;
  });
}

std::vector<Verdict> BaselineBus::extend(std::span<const Token> tokens, Duration lease) {
  if (tokens.empty()) return {};
  return database_.call("extend", Effect::repeatable, [&](Connection& connection) {
    return write_each(connection, sql::extend, tokens, kItself,
                      [&](Parameters& parameters, const Token&) { parameters.add(lease); });
  });
}

std::vector<Verdict> BaselineBus::complete(std::span<const Token> tokens,
                                           const Transaction* transaction) {
  const auto complete_all = [&](Connection& connection) {
    return write_each(connection, sql::complete, tokens, kItself, kNoMore);
  };
  if (transaction != nullptr) return database_.write_in(*transaction, "complete", complete_all);
  if (tokens.empty()) return {};
  return database_.write("complete", complete_all);
}

std::vector<Verdict> BaselineBus::reschedule(std::span<const Reschedule> items) {
  if (items.empty()) return {};
  return database_.write("reschedule", [&](Connection& connection) {
    return write_each(
        connection, sql::reschedule, items, kOfItem,
        [](Parameters& parameters, const Reschedule& item) {
          parameters.add(item.delay);
          parameters.add(item.charge == Charge::charge);
          parameters.add(item.error.empty() ? std::string() : work::error_text(item.error));
        });
  });
}

std::vector<Verdict> BaselineBus::bury(std::span<const Bury> items) {
  if (items.empty()) return {};
  return database_.write("bury", [&](Connection& connection) {
    return write_each(connection, sql::bury, items, kOfItem,
                      [](Parameters& parameters, const Bury& item) {
                        parameters.add(work::error_text(item.reason));
                      });
  });
}

std::vector<Verdict> BaselineBus::release(std::span<const Token> tokens) {
  if (tokens.empty()) return {};
  return database_.write("release", [&](Connection& connection) {
    return write_each(connection, sql::release, tokens, kItself, kNoMore);
  });
}

void BaselineBus::relinquish(const WorkerId& worker) { static_cast<void>(worker); }

void BaselineBus::inherit(const WorkerId& former, const WorkerId& worker,
                          std::span<const Token> running) {
  std::vector<std::string> ids;
  std::vector<std::string> leases;
  for (const Token& token : running) {
    ids.push_back(delivery_of(token));
    leases.push_back(lease_of(token));
  }
  database_.call("inherit", Effect::repeatable, [&](Connection& connection) {
    Pipeline pipeline(connection);
    pipeline.add(sql::give_back, former.value(), ids, leases);
    pipeline.add(sql::rename_owner, former.value(), worker.value());
    static_cast<void>(pipeline.finish());
  });
}

}  // namespace penstock::bench

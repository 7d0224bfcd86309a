// The ends of an attempt, and the renewal of leases: one call each for a whole batch; the server
// says which of its tokens held.
#include "base/mutant.hpp"
#include "store/postgres/bus/postgres_bus.hpp"
#include "store/postgres/sql.hpp"
#include "work/check.hpp"
#include "work/token.hpp"

namespace penstock::postgres::detail {
namespace {

/// Tokens as the statements take them.
struct Tokens {
  explicit Tokens(std::span<const Token> tokens) {
    for (const Token& token : tokens) add(token);
  }
  template <typename Item>
  static Tokens of(std::span<const Item> items) {
    Tokens tokens{{}};
    for (const Item& item : items) tokens.add(item.token);
    return tokens;
  }

  void add(const Token& token) {
    const std::int64_t lane = token.fence[0];
    ids.push_back(token.work_id);
    lanes.push_back(lane >= 0 && lane < kLanes ? static_cast<std::int32_t>(lane) : -1);
    epochs.push_back(work::epoch_of(token).value);
    claims.push_back(work::claims_of(token));
  }

  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> lanes;
  std::vector<std::int64_t> epochs;
  std::vector<std::int64_t> claims;
};

std::vector<Verdict> verdicts_of(const Result& rows, std::size_t tokens) {
  std::vector<Verdict> verdicts(tokens, Verdict::lost);
  for (const Row row : rows) {
    verdicts.at(static_cast<std::size_t>(row.integer(0) - 1)) = Verdict::done;
  }
  return verdicts;
}

}  // namespace

std::vector<Verdict> PostgresBus::extend(std::span<const Token> tokens, Duration lease) {
  if (tokens.empty()) return {};
  const Tokens fence{tokens};
  return database_.call("extend", Effect::repeatable, [&](Connection& connection) {
    return verdicts_of(
        connection.query(sql::extend, fence.ids, fence.lanes, fence.epochs, fence.claims, lease),
        tokens.size());
  });
}

std::vector<Verdict> PostgresBus::complete(std::span<const Token> tokens,
                                           const Transaction* transaction) {
  const Tokens fence{tokens};
  const auto complete_all = [&](Connection& connection) {
    if (base::is_mutant("complete_keeps_row")) {
      return verdicts_of(
          connection.query(sql::release, fence.ids, fence.lanes, fence.epochs, fence.claims),
          tokens.size());
    }
    return verdicts_of(connection.query(sql::complete, fence.ids, fence.lanes, fence.epochs,
                                        fence.claims, database_.options().completion_history),
                       tokens.size());
  };
  if (transaction != nullptr) {
    return database_.write_in(*transaction, "complete", [&](Connection& connection) {
      static_cast<void>(connection.query(sql::lock_for_completion, fence.lanes));
      return complete_all(connection);
    });
  }
  if (tokens.empty()) return {};
  std::vector<Verdict> verdicts = database_.write("complete", complete_all);
  std::vector<std::int64_t> gone;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (verdicts[i] == Verdict::done) gone.push_back(tokens[i].work_id);
  }
  memory_.completed(gone);
  return verdicts;
}

std::vector<Verdict> PostgresBus::reschedule(std::span<const Reschedule> items) {
  if (items.empty()) return {};
  const Tokens fence = Tokens::of(items);
  std::vector<Duration> delays;
  std::vector<bool> charges;
  std::vector<std::string> errors;
  for (const Reschedule& item : items) {
    delays.push_back(item.delay);
    charges.push_back(item.charge == Charge::charge);
    errors.push_back(item.error.empty() ? std::string() : work::error_text(item.error));
  }
  std::vector<Verdict> verdicts = database_.write("reschedule", [&](Connection& connection) {
    return verdicts_of(connection.query(sql::reschedule, fence.ids, fence.lanes, fence.epochs,
                                        fence.claims, delays, charges, errors),
                       items.size());
  });
  database_.hints().raise();
  return verdicts;
}

std::vector<Verdict> PostgresBus::bury(std::span<const Bury> items) {
  if (items.empty()) return {};
  const Tokens fence = Tokens::of(items);
  std::vector<std::string> reasons;
  for (const Bury& item : items) reasons.push_back(work::error_text(item.reason));
  return database_.write("bury", [&](Connection& connection) {
    return verdicts_of(
        connection.query(sql::bury, fence.ids, fence.lanes, fence.epochs, fence.claims, reasons),
        items.size());
  });
}

std::vector<Verdict> PostgresBus::release(std::span<const Token> tokens) {
  if (tokens.empty()) return {};
  const Tokens fence{tokens};
  std::vector<Verdict> verdicts = database_.write("release", [&](Connection& connection) {
    return verdicts_of(
        connection.query(sql::release, fence.ids, fence.lanes, fence.epochs, fence.claims),
        tokens.size());
  });
  memory_.forget_cursors();
  database_.hints().raise();
  return verdicts;
}

void PostgresBus::inherit(const WorkerId& former, const WorkerId& worker,
                          std::span<const Token> running) {
  const Tokens fence{running};
  database_.call("inherit", Effect::repeatable, [&](Connection& connection) {
    static_cast<void>(connection.query(sql::inherit, former.value(), worker.value(), fence.ids,
                                       fence.lanes, fence.epochs, fence.claims));
  });
  memory_.forget_cursors();
  database_.hints().raise();
}

}  // namespace penstock::postgres::detail

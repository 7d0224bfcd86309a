// The ends of an attempt, and the renewal of leases: each asks the fence (held.sql) about the whole
// batch first, and then writes only what still holds.
#include <set>

#include "base/mutant.hpp"
#include "store/sqlite/bus/key_heads.hpp"
#include "store/sqlite/bus/sqlite_bus.hpp"
#include "store/sqlite/json.hpp"
#include "store/sqlite/sql.hpp"
#include "work/check.hpp"
#include "work/due_time.hpp"
#include "work/token.hpp"

namespace penstock::sqlite::detail {
namespace {

std::string json_of(std::span<const Token> tokens) {
  return json_array(tokens, [](std::string& json, const Token& token) {
    json += "[" + std::to_string(token.work_id);
    for (const std::int64_t part : token.fence) json += "," + std::to_string(part);
    json += "]";
  });
}

/// The fence's answer about one batch of tokens.
class Held {
 public:
  Held(Connection& connection, std::span<const Token> tokens) {
    std::set<std::int64_t> held;
    {
      Query query = connection.query(sql::held, json_of(tokens));
      while (query.next()) {
        held.insert(query.integer(0));
        if (!query.is_null(3)) heads_.add(query.text(3), query.text(2));
      }
    }
    verdicts_.reserve(tokens.size());
    for (const Token& token : tokens) {
      // Erased, because a token that is presented twice holds once.
      const bool holds = held.erase(token.work_id) > 0;
      verdicts_.push_back(holds ? Verdict::done : Verdict::lost);
      if (!holds) continue;
      ids_.push_back(token.work_id);
      lanes_.push_back(work::lane_of(token).value);
    }
  }

  [[nodiscard]] bool empty() const noexcept { return ids_.empty(); }
  [[nodiscard]] bool holds(std::size_t place) const { return verdicts_[place] == Verdict::done; }
  [[nodiscard]] std::string ids() const { return detail::json_of(ids_); }
  [[nodiscard]] std::string lanes() const { return detail::json_of(lanes_); }
  /// The keys of what holds.
  [[nodiscard]] const KeyHeads& heads() const noexcept { return heads_; }
  [[nodiscard]] std::vector<Verdict> give_verdicts() { return std::move(verdicts_); }

  /// Takes what holds out of what is in flight.
  void let_go(Connection& connection) const {
    std::string pairs = "[";
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (i > 0) pairs += ',';
      pairs += "[" + std::to_string(ids_[i]) + "," + std::to_string(lanes_[i]) + "]";
    }
    pairs += ']';
    connection.run(sql::let_go, pairs);
  }

 private:
  std::vector<Verdict> verdicts_;
  std::vector<std::int64_t> ids_;
  std::vector<std::int64_t> lanes_;
  KeyHeads heads_;
};

template <typename Item>
std::vector<Token> tokens_of(std::span<const Item> items) {
  std::vector<Token> tokens;
  tokens.reserve(items.size());
  for (const Item& item : items) tokens.push_back(item.token);
  return tokens;
}

}  // namespace

std::vector<Verdict> SqliteBus::extend(std::span<const Token> tokens, Duration lease) {
  if (tokens.empty()) return {};
  return database_.write("extend", [&](Connection& connection) {
    Held held{connection, tokens};
    if (!held.empty())
      connection.run(sql::extend, held.lanes(), work::due_after(database_.now(), lease));
    return held.give_verdicts();
  });
}

std::vector<Verdict> SqliteBus::complete(std::span<const Token> tokens,
                                         const Transaction* transaction) {
  const auto complete_all = [&](Connection& connection) {
    Held held{connection, tokens};
    if (held.empty()) return held.give_verdicts();
    const std::string ids = held.ids();
    if (database_.options().completion_history) {
      connection.run(sql::remember_completed, ids, database_.now());
    }
    if (!base::is_mutant("complete_keeps_row")) connection.run(sql::complete, ids);
    held.let_go(connection);
    held.heads().promote(connection);
    return held.give_verdicts();
  };
  if (transaction != nullptr) return database_.write_in(*transaction, "complete", complete_all);
  if (tokens.empty()) return {};
  return database_.write("complete", complete_all);
}

std::vector<Verdict> SqliteBus::reschedule(std::span<const Reschedule> items) {
  if (items.empty()) return {};
  std::vector<Verdict> verdicts = database_.write("reschedule", [&](Connection& connection) {
    const Timestamp now = database_.now();
    Held held{connection, tokens_of(items)};
    if (held.empty()) return held.give_verdicts();
    std::string json = "[";
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!held.holds(i)) continue;
      const Timestamp due = work::due_after(now, items[i].delay);
      if (json.size() > 1) json += ',';
      json += "[" + std::to_string(items[i].token.work_id) + "," +
              std::to_string(due.time_since_epoch().count()) +
              (items[i].charge == Charge::charge ? ",1," : ",0,");
      append_json(json, work::error_text(items[i].error));
      json += "]";
    }
    json += "]";
    connection.run(sql::reschedule, json, now);
    held.let_go(connection);
    return held.give_verdicts();
  });
  hints_.signal();
  return verdicts;
}

std::vector<Verdict> SqliteBus::bury(std::span<const Bury> items) {
  if (items.empty()) return {};
  return database_.write("bury", [&](Connection& connection) {
    Held held{connection, tokens_of(items)};
    if (held.empty()) return held.give_verdicts();
    std::string json = "[";
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!held.holds(i)) continue;
      if (json.size() > 1) json += ',';
      json += "[" + std::to_string(items[i].token.work_id) + ",";
      append_json(json, work::error_text(items[i].reason));
      json += "]";
    }
    json += "]";
    connection.run(sql::bury, json, database_.now());
    held.let_go(connection);
    held.heads().promote(connection);
    return held.give_verdicts();
  });
}

std::vector<Verdict> SqliteBus::release(std::span<const Token> tokens) {
  if (tokens.empty()) return {};
  std::vector<Verdict> verdicts = database_.write("release", [&](Connection& connection) {
    Held held{connection, tokens};
    if (held.empty()) return held.give_verdicts();
    connection.run(sql::release, held.ids());
    held.let_go(connection);
    return held.give_verdicts();
  });
  hints_.signal();
  return verdicts;
}

void SqliteBus::inherit(const WorkerId& former, const WorkerId& worker,
                        std::span<const Token> running) {
  database_.write("inherit", [&](Connection& connection) {
    const std::string kept = Held{connection, running}.ids();
    connection.run(sql::release_others, former.value(), kept);
    connection.run(sql::let_go_others, former.value(), kept);
    connection.run(sql::inherit, former.value(), worker.value());
  });
  hints_.signal();
}

}  // namespace penstock::sqlite::detail

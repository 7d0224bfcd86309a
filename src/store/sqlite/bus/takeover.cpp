// The rare path of a claim. What a crash costs is decided by the pure core.
#include "store/sqlite/bus/takeover.hpp"

#include <set>
#include <vector>

#include "base/mutant.hpp"
#include "store/sqlite/bus/key_heads.hpp"
#include "store/sqlite/json.hpp"
#include "store/sqlite/sql.hpp"
#include "work/delivery_state.hpp"

namespace penstock::sqlite::detail {
namespace {

struct Charged {
  std::int64_t id = 0;
  work::CrashCharge charge{};
};

struct Expired {
  std::set<std::int64_t> lanes;
  std::vector<Charged> charged;
  KeyHeads freed;  ///< Keys whose head is buried.
};

Expired read_expired(Connection& connection, Timestamp now) {
  Expired expired;
  Query query = connection.query(sql::expired_work, now);
  while (query.next()) {
    expired.lanes.insert(query.integer(0));
    if (query.is_null(1)) continue;
    std::optional<int> max_attempts;
    if (!query.is_null(6)) max_attempts = static_cast<int>(query.integer(6));
    const work::CrashCharge charge = work::charge_for_crash(static_cast<int>(query.integer(4)),
                                                            query.integer(5) != 0, max_attempts);
    expired.charged.push_back({.id = query.integer(1), .charge = charge});
    if (charge.bury && !query.is_null(3)) expired.freed.add(query.text(3), query.text(2));
  }
  return expired;
}

}  // namespace

void take_over_expired(Connection& connection, Timestamp now) {
  if (base::is_mutant("skip_takeover")) return;
  const Expired expired = read_expired(connection, now);
  if (expired.lanes.empty()) return;

  const std::string lanes = json_array(
      expired.lanes, [](std::string& json, std::int64_t lane) { json += std::to_string(lane); });
  const std::string charged =
      json_array(expired.charged, [](std::string& json, const Charged& item) {
        json += "[" + std::to_string(item.id) + "," + std::to_string(item.charge.attempts) +
                (item.charge.bury ? ",1]" : ",0]");
      });
  connection.run(sql::charge, charged, now, work::kWorkerLost);
  connection.run(sql::empty_lanes, lanes);
  connection.run(sql::take_over, lanes);
  connection.run(sql::count_takeovers, expired.lanes.size());
  expired.freed.promote(connection);
}

}  // namespace penstock::sqlite::detail

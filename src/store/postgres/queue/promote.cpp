// Promoting: due jobs become ready, lane by lane, each in a transaction of its own.
#include <algorithm>

#include "penstock/error.hpp"
#include "store/postgres/queue/upkeep.hpp"
#include "store/postgres/sql.hpp"

namespace penstock::postgres::detail {
namespace {

constexpr std::int32_t kAtOnce = 1'000;
constexpr int kRounds = 64;  // Of one queue in one step: others want their turn.
// How long a lane's lock is waited for: a lane that is always busy would else never be had.
constexpr int kFirstPatience = 50;
constexpr int kLastPatience = 2'000;
constexpr Duration kLookAgain = std::chrono::milliseconds{250};
// Jobs are due from whenever; where the clock of the server begins is early enough.
constexpr Timestamp kEver{};

}  // namespace

Duration PostgresUpkeep::promote(Maintained& done) {
  Duration next = kLookAgain;
  std::vector<std::string> due;
  database_.read("promote", [&](Connection& connection) {
    due.clear();
    for (const Row row : connection.query(sql::queue_due)) {
      const Duration until = row.duration(1);
      if (until <= Duration::zero()) {
        due.emplace_back(row.text(0));
      } else {
        next = std::min(next, until);
      }
    }
  });
  for (const std::string& queue : due) {
    attempt([&] { promote_queue(queue, done); });
  }
  return next;
}

void PostgresUpkeep::promote_queue(const std::string& queue, Maintained& done) {
  std::vector<std::int32_t> passed;
  int patience = kFirstPatience;
  for (const auto& [lane, waited] : patience_) patience = std::max(patience, waited);
  for (int round = 0; round < kRounds; ++round) {
    const auto rotor = static_cast<std::int32_t>(random_.fraction() * 0x7FFF);
    struct Answer {
      std::int64_t promoted = 0;
      std::optional<std::int64_t> blocked{};
      bool more = false;
    };
    const Answer answer = call("promote", [&](Connection& connection) {
      const Result rows = connection.query(sql::queue_promote, queue, kEver, kAtOnce,
                                           static_cast<std::int32_t>(patience), passed, rotor);
      const Row row = rows.only();
      return Answer{row.integer(0), row.optional_integer(1), row.boolean(2)};
    });
    done.promoted += answer.promoted;
    if (answer.blocked) {
      patience_[*answer.blocked] = std::min(kLastPatience, patience * 2);
      passed.push_back(static_cast<std::int32_t>(*answer.blocked));
      continue;
    }
    if (answer.promoted > 0) patience_.clear();
    if (!answer.more && passed.empty()) return;
    if (answer.promoted == 0) return;
  }
}

}  // namespace penstock::postgres::detail

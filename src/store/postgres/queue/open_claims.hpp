// What this process believes to hold: the attempts of its claims, and which numbers its claims may
// still get. From it come the promise of a heartbeat and what an inheritance gives back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/mutex.hpp"
#include "penstock/work_source.hpp"

namespace penstock::postgres::detail {

/// Thread-safe.
class OpenClaims {
 public:
  /// The base that a claim shall be called with; empty: the server draws one.
  [[nodiscard]] std::optional<std::int64_t> begin_claim();
  /// It has answered. `next_base` is for the next call.
  void claim_ended(std::optional<std::int64_t> base, std::int64_t next_base,
                   std::span<const Work> work);
  /// Its answer is lost: what it took, nobody here knows.
  void claim_lost(std::optional<std::int64_t> base);

  /// These attempts are over, however it was.
  void ended(std::span<const Token> tokens);
  void forget();

  /// Below it this process holds no claim, and will make none.
  [[nodiscard]] std::int64_t oldest_open();
  /// Bases of claims whose answers were lost; they are forgotten.
  [[nodiscard]] std::vector<std::int64_t> take_lost();
  void put_back_lost(std::span<const std::int64_t> bases);
  /// Everything held but `running`.
  [[nodiscard]] std::vector<Token> all_but(std::span<const Token> running);
  [[nodiscard]] bool empty();

 private:
  base::Mutex mutex_;
  std::map<std::int64_t, std::map<std::int64_t, Token>> open_ PENSTOCK_GUARDED_BY(mutex_);
  std::multiset<std::int64_t> calling_ PENSTOCK_GUARDED_BY(mutex_);  ///< Bases of calls under way.
  int calling_unknown_ PENSTOCK_GUARDED_BY(mutex_) = 0;
  std::optional<std::int64_t> base_ PENSTOCK_GUARDED_BY(mutex_);
  std::vector<std::int64_t> lost_ PENSTOCK_GUARDED_BY(mutex_);
  std::int64_t reported_ PENSTOCK_GUARDED_BY(mutex_) = 0;
};

}  // namespace penstock::postgres::detail

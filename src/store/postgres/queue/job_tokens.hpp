// Tokens of jobs, as the statements take them: by worker and claim, ordinals as ranges.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "penstock/work_source.hpp"

namespace penstock::postgres::detail {

/// The fence of a job: claim, ordinal, worker.
[[nodiscard]] inline Token job_token(std::int64_t id, std::int64_t claim, std::int64_t ordinal,
                                     std::int64_t worker) {
  return {.work_id = id, .fence = {claim, ordinal, worker}};
}
[[nodiscard]] inline std::int64_t claim_of(const Token& token) { return token.fence[0]; }
[[nodiscard]] inline std::int64_t ordinal_of(const Token& token) { return token.fence[1]; }
[[nodiscard]] inline std::int64_t worker_of(const Token& token) { return token.fence[2]; }

/// Ordinals of claims, as parallel arrays of half-open ranges.
struct OrdinalRanges {
  std::vector<std::int64_t> claims;
  std::vector<std::int32_t> from;
  std::vector<std::int32_t> to;
};

/// Which tokens of one worker were given, and where each stood.
class JobTokens {
 public:
  void add(const Token& token, std::size_t place);

  /// Ascending by claim; neighbours are one range.
  [[nodiscard]] OrdinalRanges ranges() const;
  /// Of a doubled token, the first.
  [[nodiscard]] const std::map<std::pair<std::int64_t, std::int32_t>, std::size_t>& places() const {
    return places_;
  }

 private:
  std::map<std::pair<std::int64_t, std::int32_t>, std::size_t> places_;
};

/// By worker; a token whose ordinal no claim can have is left out, and so is lost.
[[nodiscard]] std::map<std::int64_t, JobTokens> by_worker(std::span<const Token> tokens);

}  // namespace penstock::postgres::detail

// Tokens, sorted.
#include "store/postgres/queue/job_tokens.hpp"

#include <limits>

namespace penstock::postgres::detail {

void JobTokens::add(const Token& token, std::size_t place) {
  places_.try_emplace({claim_of(token), static_cast<std::int32_t>(ordinal_of(token))}, place);
}

OrdinalRanges JobTokens::ranges() const {
  OrdinalRanges ranges;
  for (const auto& [at, place] : places_) {
    const auto& [claim, ordinal] = at;
    if (!ranges.claims.empty() && ranges.claims.back() == claim && ranges.to.back() == ordinal) {
      ++ranges.to.back();
      continue;
    }
    ranges.claims.push_back(claim);
    ranges.from.push_back(ordinal);
    ranges.to.push_back(ordinal + 1);
  }
  return ranges;
}

std::map<std::int64_t, JobTokens> by_worker(std::span<const Token> tokens) {
  std::map<std::int64_t, JobTokens> workers;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::int64_t ordinal = ordinal_of(tokens[i]);
    if (ordinal < 0 || ordinal >= std::numeric_limits<std::int32_t>::max()) continue;
    workers[worker_of(tokens[i])].add(tokens[i], i);
  }
  return workers;
}

}  // namespace penstock::postgres::detail

// The open claims of a process.
#include "store/postgres/queue/open_claims.hpp"

#include <algorithm>

#include "store/postgres/queue/job_tokens.hpp"

namespace penstock::postgres::detail {

std::optional<std::int64_t> OpenClaims::begin_claim() {
  base::MutexLock lock(mutex_);
  const std::optional<std::int64_t> base = base_;
  base_.reset();
  if (base) {
    calling_.insert(*base);
  } else {
    ++calling_unknown_;
  }
  return base;
}

void OpenClaims::claim_ended(std::optional<std::int64_t> base, std::int64_t next_base,
                             std::span<const Work> work) {
  base::MutexLock lock(mutex_);
  if (base) {
    calling_.erase(calling_.find(*base));
  } else {
    --calling_unknown_;
  }
  base_ = next_base;
  for (const Work& one : work) {
    open_[claim_of(one.token)].try_emplace(ordinal_of(one.token), one.token);
  }
}

void OpenClaims::claim_lost(std::optional<std::int64_t> base) {
  base::MutexLock lock(mutex_);
  if (base) {
    calling_.erase(calling_.find(*base));
    lost_.push_back(*base);
  } else {
    --calling_unknown_;  // Numbers that nobody knows: they are below what the next beat says.
  }
}

void OpenClaims::ended(std::span<const Token> tokens) {
  base::MutexLock lock(mutex_);
  for (const Token& token : tokens) {
    const auto claim = open_.find(claim_of(token));
    if (claim == open_.end()) continue;
    claim->second.erase(ordinal_of(token));
    if (claim->second.empty()) open_.erase(claim);
  }
}

void OpenClaims::forget() {
  base::MutexLock lock(mutex_);
  open_.clear();
  lost_.clear();
  reported_ = 0;
}

std::int64_t OpenClaims::oldest_open() {
  base::MutexLock lock(mutex_);
  // A call whose base the server draws may get any number from now on, and no call knows it.
  if (calling_unknown_ > 0) return reported_;
  std::optional<std::int64_t> oldest = base_;
  const auto consider = [&](std::int64_t number) {
    oldest = std::min(oldest.value_or(number), number);
  };
  if (!calling_.empty()) consider(*calling_.begin());
  if (!open_.empty()) consider(open_.begin()->first);
  reported_ = std::max(reported_, oldest.value_or(0));
  return reported_;
}

std::vector<std::int64_t> OpenClaims::take_lost() {
  base::MutexLock lock(mutex_);
  return std::exchange(lost_, {});
}

void OpenClaims::put_back_lost(std::span<const std::int64_t> bases) {
  base::MutexLock lock(mutex_);
  lost_.insert(lost_.end(), bases.begin(), bases.end());
}

std::vector<Token> OpenClaims::all_but(std::span<const Token> running) {
  const std::set<Token> kept(running.begin(), running.end());
  std::vector<Token> others;
  base::MutexLock lock(mutex_);
  for (const auto& [claim, tokens] : open_) {
    for (const auto& [ordinal, token] : tokens) {
      if (!kept.contains(token)) others.push_back(token);
    }
  }
  return others;
}

bool OpenClaims::empty() {
  base::MutexLock lock(mutex_);
  return open_.empty() && lost_.empty();
}

}  // namespace penstock::postgres::detail

// The finisher: one call per kind of end and batch. A store that is away is waited for; meanwhile
// the bound on unrecorded attempts keeps claiming from running ahead.
#include "complete/finisher.hpp"

#include <algorithm>
#include <span>

#include "base/backoff.hpp"
#include "base/say.hpp"
#include "penstock/error.hpp"
#include "work/check.hpp"

namespace penstock::complete {
namespace {

using dispatch::End;
using dispatch::Ended;

std::int64_t count_done(const std::vector<Verdict>& verdicts) {
  return std::ranges::count(verdicts, Verdict::done);
}

template <typename Item, typename Make>
std::vector<Item> collect(const std::vector<Ended>& ended, End::Kind kind, Make make) {
  std::vector<Item> items;
  items.reserve(ended.size());
  for (const Ended& one : ended) {
    if (one.end.kind == kind) items.push_back(make(one));
  }
  return items;
}

Token token_of_ended(const Ended& one) { return one.attempt->work.token; }
Token token_of(const Token& token) { return token; }
Token token_of(const Reschedule& item) { return item.token; }
Token token_of(const Bury& item) { return item.token; }

// Takes a batch out of hand however recording it ends: what could not be recorded is left to the
// leases.
class Settled {
 public:
  Settled(dispatch::Board& board, std::span<const Ended> ended) : board_(board), ended_(ended) {}
  ~Settled() { board_.recorded(ended_); }
  Settled(const Settled&) = delete;
  Settled& operator=(const Settled&) = delete;

 private:
  dispatch::Board& board_;
  std::span<const Ended> ended_;
};

}  // namespace

void Finisher::run() {
  for (;;) {
    std::vector<Ended> ended = board_.collect();
    if (ended.empty()) return;
    const Settled settled(board_, ended);
    record(ended);
  }
}

void Finisher::record(std::vector<Ended>& ended) {
  for (const Ended& one : ended) report(one);
  complete(ended);
  reschedule(ended);
  bury(ended);
  release(ended);
}

// Waiting cannot help where the store refuses a write for what it is. Of a batch that may be the
// fault of one, so each is tried alone; and one that is refused alone is buried. To leave it to its
// lease would not do: the lease is that of a lane, and is extended for whatever else runs there.
template <typename Item, typename Write>
void Finisher::write_until_done(const char* what, std::span<const Item> items, Write write) {
  base::Backoff backoff(random_);
  for (;;) {
    try {
      write(items);
      return;
    } catch (const Error& error) {
      base::say_store_error(log_, what, error, backoff.failures());
      const bool is_refused =
          error.kind() == ErrorKind::internal || error.kind() == ErrorKind::usage;
      if (is_refused && items.size() == 1) return bury_refused(token_of(items[0]), what, error);
      if (is_refused) break;
    }
    if (given_up_within(backoff.next())) return;
  }
  for (std::size_t i = 0; i < items.size(); ++i) write_until_done(what, items.subspan(i, 1), write);
}

void Finisher::bury_refused(const Token& token, const char* what, const Error& error) {
  if (std::string_view(what) == "bury") return;
  const Bury item{.token = token,
                  .reason = std::string("its end could not be recorded: ") + error.what()};
  write_buries({&item, 1});
}

void Finisher::give_up() {
  base::MutexLock lock(mutex_);
  given_up_ = true;
  gave_up_.notify_all();
}

bool Finisher::given_up_within(Duration delay) {
  const auto until = std::chrono::steady_clock::now() + delay;
  base::MutexLock lock(mutex_);
  while (!given_up_) {
    if (gave_up_.wait_until(lock, until) == std::cv_status::timeout) break;
  }
  return given_up_;
}

void Finisher::complete(const std::vector<Ended>& ended) {
  const auto committed = std::ranges::count_if(
      ended, [](const Ended& one) { return one.end.kind == End::Kind::committed; });
  counters_.completed += committed;
  counters_.lost += std::ranges::count_if(
      ended, [](const Ended& one) { return one.end.kind == End::Kind::lost; });
  const auto tokens = collect<Token>(ended, End::Kind::complete, token_of_ended);
  if (tokens.empty()) return;
  write_until_done("complete", std::span<const Token>(tokens), [&](std::span<const Token> part) {
    const auto done = count_done(source_.complete(part, nullptr));
    counters_.completed += done;
    counters_.lost += static_cast<std::int64_t>(part.size()) - done;
  });
}

void Finisher::reschedule(const std::vector<Ended>& ended) {
  const auto items = collect<Reschedule>(ended, End::Kind::reschedule, [](const Ended& one) {
    return Reschedule{.token = token_of_ended(one),
                      .delay = one.end.delay,
                      .charge = one.end.charge,
                      .error = one.end.text};
  });
  if (items.empty()) return;
  write_until_done(
      "reschedule", std::span<const Reschedule>(items), [&](std::span<const Reschedule> part) {
        const auto verdicts = source_.reschedule(part);
        for (std::size_t i = 0; i < part.size(); ++i) {
          if (verdicts[i] == Verdict::lost) {
            ++counters_.lost;
          } else {
            ++(part[i].charge == Charge::charge ? counters_.retried : counters_.snoozed);
          }
        }
      });
}

void Finisher::bury(const std::vector<Ended>& ended) {
  const auto items = collect<Bury>(ended, End::Kind::bury, [](const Ended& one) {
    return Bury{.token = token_of_ended(one), .reason = one.end.text};
  });
  if (!items.empty()) write_buries(items);
}

void Finisher::write_buries(std::span<const Bury> items) {
  write_until_done("bury", items, [&](std::span<const Bury> part) {
    const auto done = count_done(source_.bury(part));
    counters_.buried += done;
    counters_.lost += static_cast<std::int64_t>(part.size()) - done;
  });
}

void Finisher::release(const std::vector<Ended>& ended) {
  const auto tokens = collect<Token>(ended, End::Kind::release, token_of_ended);
  if (tokens.empty()) return;
  write_until_done("release", std::span<const Token>(tokens), [&](std::span<const Token> part) {
    const auto done = count_done(source_.release(part));
    counters_.released += done;
    counters_.lost += static_cast<std::int64_t>(part.size()) - done;
  });
}

void Finisher::report(const Ended& ended) {
  const End::Kind kind = ended.end.kind;
  if (kind != End::Kind::reschedule && kind != End::Kind::bury) return;
  const Work& work = ended.attempt->work;
  const bool buried = kind == End::Kind::bury;
  if (work.job) {
    base::say(log_, buried ? LogLevel::warning : LogLevel::info,
              buried ? "job buried" : "job rescheduled",
              {{"job", std::to_string(work.job->id.value)},
               {"queue", work.job->job.queue},
               {"kind", work.job->job.kind},
               {"attempt", std::to_string(work.attempts + 1)},
               {"error", work::error_text(ended.end.text)}});
    return;
  }
  base::say(log_, buried ? LogLevel::warning : LogLevel::info,
            buried ? "delivery buried" : "delivery rescheduled",
            {{"delivery", std::to_string(work.token.work_id)},
             {"handler", work.handler},
             {"attempt", std::to_string(work.attempts + 1)},
             {"error", work::error_text(ended.end.text)}});
}

}  // namespace penstock::complete

// The calls of a dispatcher, with the number of its source.
#include "store/memory/queue/job_source.hpp"

#include "penstock/error.hpp"

namespace penstock::memory {

std::unique_ptr<JobSource> MemoryQueue::source(JobSourceOptions options) {
  const base::MutexLock lock(mutex_);
  return std::make_unique<MemoryJobSource>(*this, ++last_source_, std::move(options));
}

Claimed MemoryJobSource::claim(const ClaimRequest& request) {
  return queue_.claim(number_, request, options_);
}

// How long a process may be silent is for those to say who maintain the queue.
std::vector<Verdict> MemoryJobSource::extend(std::span<const Token> tokens, Duration /*lease*/) {
  return queue_.extend(number_, tokens);
}

std::vector<Verdict> MemoryJobSource::complete(std::span<const Token> tokens,
                                               const Transaction* transaction) {
  if (transaction != nullptr) {
    throw Error(ErrorKind::usage,
                "jobs are not completed in a transaction: complete without one, after its commit",
                {.field = "transaction"});
  }
  return queue_.complete(tokens);
}

std::vector<Verdict> MemoryJobSource::reschedule(std::span<const Reschedule> items) {
  return queue_.reschedule(items);
}

std::vector<Verdict> MemoryJobSource::bury(std::span<const Bury> items) {
  return queue_.bury(items);
}

std::vector<Verdict> MemoryJobSource::release(std::span<const Token> tokens) {
  return queue_.release(tokens);
}

void MemoryJobSource::relinquish(const WorkerId& worker) { queue_.relinquish(number_, worker); }

void MemoryJobSource::inherit(const WorkerId& former, const WorkerId& worker,
                              std::span<const Token> running) {
  queue_.inherit(number_, former, worker, running);
}

Verdict MemoryJobSource::save_progress(const Token& token, std::string_view json) {
  return queue_.save_progress(token, json);
}

}  // namespace penstock::memory

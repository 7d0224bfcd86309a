// What one dispatcher sees of the queue in memory.
#pragma once

#include <cstdint>
#include <utility>

#include "store/memory/queue/memory_queue.hpp"

namespace penstock::memory {

/// Speaks for one process, which is known by the number of its source: its name may change, and a
/// heartbeat bears none.
///
/// Lives no longer than its queue. Threads: thread-safe.
class MemoryJobSource final : public JobSource {
 public:
  MemoryJobSource(MemoryQueue& queue, std::int64_t number, JobSourceOptions options)
      : queue_(queue), number_(number), options_(std::move(options)) {}

  [[nodiscard]] Claimed claim(const ClaimRequest& request) override;
  [[nodiscard]] std::vector<Verdict> extend(std::span<const Token> tokens, Duration lease) override;
  [[nodiscard]] std::vector<Verdict> complete(std::span<const Token> tokens,
                                              const Transaction* transaction) override;
  [[nodiscard]] std::vector<Verdict> reschedule(std::span<const Reschedule> items) override;
  [[nodiscard]] std::vector<Verdict> bury(std::span<const Bury> items) override;
  [[nodiscard]] std::vector<Verdict> release(std::span<const Token> tokens) override;
  void relinquish(const WorkerId& worker) override;
  void inherit(const WorkerId& former, const WorkerId& worker,
               std::span<const Token> running) override;
  [[nodiscard]] Verdict save_progress(const Token& token, std::string_view json) override;

 private:
  MemoryQueue& queue_;
  const std::int64_t number_;
  const JobSourceOptions options_;
};

}  // namespace penstock::memory

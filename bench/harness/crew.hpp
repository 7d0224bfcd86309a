// The processes of one run: started, told to begin together, and ended. They are this same program.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/journal.hpp"
#include "harness/work_order.hpp"

namespace penstock::bench {

/// Kills what still runs when destroyed. Threads: one thread at a time.
class Crew {
 public:
  /// `folder` gets the orders, the journals and what the processes say.
  explicit Crew(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Starts one process; its order's journal is filled in. Throws: std::exception.
  void start(WorkOrder order);
  /// Returns when all are ready to begin. Throws std::runtime_error, with what a process said.
  void await_ready();
  /// Times of the steady clock.
  struct Start {
    std::int64_t dispatchers_ns = 0;
    std::int64_t publishers_ns = 0;
  };
  void begin(const Start& start);
  /// Kills the dispatcher that has run longest, as `kill -9` does, and starts another with its
  /// order, which begins as soon as it can. Throws: std::exception.
  void replace_dispatcher();
  /// Waits for the publishers, who end by themselves, but no longer than `patience`.
  void await_publishers(std::chrono::seconds patience);
  /// Tells the dispatchers to end, and waits. Throws: as await_ready.
  void end(std::chrono::seconds patience);

  [[nodiscard]] std::uint64_t published() const;
  [[nodiscard]] std::uint64_t handled() const;
  [[nodiscard]] std::vector<Record> published_records() const;
  [[nodiscard]] std::vector<Record> handled_records() const;

 private:
  struct Member {
    WorkOrder order{};
    pid_t pid = 0;
    int input = -1;   ///< Its standard input, from our side.
    int output = -1;  ///< Its standard output.
    std::filesystem::path log{};
    std::unique_ptr<Journal> journal{};

    void kill();  ///< If it runs.
  };
  static void await_ready(const Member& member, std::chrono::steady_clock::time_point deadline);
  static void begin(const Member& member, std::int64_t at_ns);
  void await_end(Member& member, std::chrono::steady_clock::time_point deadline);
  [[noreturn]] static void fail(const Member& member, const char* what);
  [[nodiscard]] std::vector<Record> records_of(bool publishers) const;
  [[nodiscard]] std::uint64_t count_of(bool publishers) const;

  std::filesystem::path folder_;
  std::vector<Member> members_{};
};

}  // namespace penstock::bench

// What a run needs done to its tables before and after: in this process, or by another build of
// this program, whose tables may be others.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/journal.hpp"
#include "harness/run.hpp"
#include "harness/verdict.hpp"
#include "harness/work_order.hpp"

namespace penstock::bench {

/// Threads: one thread at a time. Every call throws std::exception.
class Errands {
 public:
  /// `plan` outlives it. `folder` gets what the other build is told and says.
  Errands(const RunPlan& plan, std::filesystem::path folder)
      : plan_(plan), folder_(std::move(folder)) {}

  /// Empty tables, and in them what is preloaded: that.
  [[nodiscard]] std::vector<Record> prepare();
  /// What is left in them.
  [[nodiscard]] Leftover leftover();
  void remove_tables();

 private:
  [[nodiscard]] std::vector<Record> send(Role role);

  const RunPlan& plan_;
  std::filesystem::path folder_;
  int sent_ = 0;
};

/// The errand of an order, on the other side. Throws: std::exception.
void do_errand(const WorkOrder& order);

}  // namespace penstock::bench

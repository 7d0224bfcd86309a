// See errands.hpp. The other build answers by its journal: what was preloaded, or two numbers.
#include "harness/errands.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

#include "harness/crew.hpp"

namespace penstock::bench {
namespace {

constexpr std::chrono::minutes kPatience{10};

/// Numbers in the order of their times, which here mean nothing else.
void answer(const WorkOrder& order, const std::vector<std::uint32_t>& numbers) {
  Journal journal(order.journal);
  std::int64_t place = 0;
  for (const std::uint32_t number : numbers) journal.write({.number = number, .at_ns = ++place});
}

std::uint32_t bounded(std::int64_t count) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, UINT32_MAX));
}

}  // namespace

std::vector<Record> Errands::send(Role role) {
  const std::filesystem::path folder = folder_ / ("errand-" + std::to_string(++sent_));
  std::filesystem::create_directory(folder);
  Crew crew(folder);
  crew.start({.role = role,
              .layout = plan_.layout,
              .program = plan_.program,
              .keys = plan_.keys,
              .url = plan_.url,
              .preloaded = plan_.preloaded});
  crew.end(kPatience);
  std::vector<Record> records = crew.handled_records();
  std::ranges::sort(records, {}, &Record::at_ns);
  return records;
}

std::vector<Record> Errands::prepare() {
  if (plan_.program.empty()) return bench::prepare(plan_);
  std::vector<Record> records = send(Role::prepare);
  for (Record& record : records) record.at_ns = 0;
  return records;
}

Leftover Errands::leftover() {
  if (plan_.program.empty()) return leftover_of(plan_);
  const std::vector<Record> answered = send(Role::count_left);
  if (answered.size() != 2) {
    throw std::runtime_error("another build did not say what is left: " + plan_.program.string());
  }
  return {.pending = answered[0].number, .dead = answered[1].number};
}

void Errands::remove_tables() {
  if (plan_.program.empty()) {
    bench::remove_tables(plan_.layout, plan_.url);
  } else {
    static_cast<void>(send(Role::remove));
  }
}

void do_errand(const WorkOrder& order) {
  const RunPlan plan{
      .layout = order.layout, .url = order.url, .preloaded = order.preloaded, .keys = order.keys};
  if (order.role == Role::prepare) {
    std::vector<std::uint32_t> numbers;
    for (const Record& record : prepare(plan)) numbers.push_back(record.number);
    answer(order, numbers);
  } else if (order.role == Role::count_left) {
    const Leftover left = leftover_of(plan);
    answer(order, {bounded(left.pending), bounded(left.dead)});
  } else {
    remove_tables(order.layout, order.url);
  }
}

}  // namespace penstock::bench

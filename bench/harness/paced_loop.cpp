// See paced_loop.hpp.
#include "harness/paced_loop.hpp"

#include <exception>
#include <thread>
#include <vector>

#include "harness/journal.hpp"
#include "harness/starting_line.hpp"

namespace penstock::bench {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr double kNsPerSecond = 1e9;

/// When a thread shall publish its batches.
struct Pace {
  Pace(const WorkOrder& order, std::size_t thread, std::int64_t begin_ns) : next_ns(begin_ns) {
    if (order.rate <= 0) return;
    const double per_second = order.rate / static_cast<double>(order.batch);
    interval_ns =
        static_cast<std::int64_t>(kNsPerSecond * static_cast<double>(order.threads) / per_second);
    next_ns +=
        interval_ns * static_cast<std::int64_t>(thread) / static_cast<std::int64_t>(order.threads);
  }
  std::int64_t next_ns;
  std::int64_t interval_ns = 0;
};

void publish_until(std::int64_t end_ns, Pace pace, const WorkOrder& order, std::uint32_t number,
                   const PublishCall& publish, Journal& journal) {
  std::vector<Event> events;
  while (now_ns() < end_ns && pace.next_ns < end_ns) {
    const std::uint32_t first = number;
    events.clear();
    for (std::size_t i = 0; i < order.batch; ++i) {
      events.push_back(make_event(number++, order.keys));
    }
    if (pace.interval_ns > 0) {
      sleep_until(pace.next_ns);
      pace.next_ns += pace.interval_ns;
    }
    const std::int64_t began = now_ns();
    publish(events);
    const std::int64_t at = now_ns();
    for (std::uint32_t one = first; one < number; ++one) {
      journal.write({.number = one, .at_ns = at, .took_ns = at - began});
    }
  }
}

}  // namespace

void run_publishers(const WorkOrder& order,
                    const std::function<PublishCall(std::size_t thread)>& open) {
  Journal journal(order.journal);
  std::vector<PublishCall> calls;
  calls.reserve(order.threads);
  for (std::size_t i = 0; i < order.threads; ++i) calls.push_back(open(i));
  const std::int64_t begin_ns = await_beginning();
  if (begin_ns == 0) return;

  const std::int64_t end_ns = begin_ns + order.window_ms * kNsPerMs;
  std::vector<std::exception_ptr> failures(order.threads);
  {
    std::vector<std::jthread> threads;
    threads.reserve(order.threads);
    for (std::size_t i = 0; i < order.threads; ++i) {
      threads.emplace_back([&, i] {
        const auto number =
            (order.first_thread + static_cast<std::uint32_t>(i)) * kNumbersOfAThread;
        try {
          publish_until(end_ns, Pace(order, i, begin_ns), order, number, calls[i], journal);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace penstock::bench

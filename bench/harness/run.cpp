// See run.hpp.
#include "harness/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>

#include "harness/crew.hpp"
#include "harness/errands.hpp"
#include "peers/peer.hpp"

namespace penstock::bench {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::size_t kPreloadBatch = 1'000;
constexpr std::uint32_t kPreloadThreads = 2;
constexpr milliseconds kTick{5};
constexpr milliseconds kNotice{50};  // From the word to begin until all begin.
constexpr seconds kPatience{60};
constexpr milliseconds kStill{1'000};
constexpr milliseconds kLookAtStore{250};

/// A folder that is empty for each run and gone afterwards.
class RunFolder {
 public:
  RunFolder() {
    std::string name = (fs::temp_directory_path() / "penstock-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), "cannot make a folder like " + name);
    }
    path_ = name;
  }
  ~RunFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

/// What one thread publishes beforehand; its share of `plan.preloaded`.
std::vector<Record> preload_share(const PublishCall& publish, const RunPlan& plan,
                                  std::uint32_t thread, std::uint32_t count) {
  std::vector<Record> records;
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t number = thread * kNumbersOfAThread + i;
    events.push_back(make_event(number, plan.keys));
    records.push_back({.number = number});
    if (events.size() < kPreloadBatch && i + 1 < count) continue;
    publish(events);
    events.clear();
  }
  return records;
}

/// By as many threads as there are calls.
std::vector<Record> preload_through(const std::vector<PublishCall>& calls, const RunPlan& plan) {
  const auto threads = static_cast<std::uint32_t>(calls.size());
  std::vector<std::vector<Record>> shares(threads);
  std::vector<std::exception_ptr> failures(threads);
  {
    std::vector<std::jthread> running;
    for (std::uint32_t i = 0; i < threads; ++i) {
      const std::uint32_t count = plan.preloaded / threads + (i < plan.preloaded % threads ? 1 : 0);
      running.emplace_back([&, i, count] {
        try {
          shares[i] = preload_share(calls[i], plan, i, count);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  std::vector<Record> all;
  for (const auto& share : shares) all.insert(all.end(), share.begin(), share.end());
  return all;
}

std::vector<Record> preload(const RunPlan& plan) {
  if (plan.preloaded == 0) return {};
  // The order of the only key there is must be that of the numbers.
  const std::size_t threads = plan.keys == Keys::one ? 1 : kPreloadThreads;
  std::vector<PublishCall> calls;
  if (const auto peer = open_peer(plan.layout, plan.url)) {
    for (std::size_t i = 0; i < threads; ++i) calls.push_back(peer->publisher());
    Ticking ticking(*peer);
    std::vector<Record> all = preload_through(calls, plan);
    ticking.end();
    peer->settle();
    return all;
  }
  const auto store = open_layout(plan.layout, plan.url, threads);
  calls.assign(threads, [&store](std::span<const Event> events) {
    static_cast<void>(store->bus().publish(events, nullptr));
  });
  return preload_through(calls, plan);
}

void start_crew(Crew& crew, const RunPlan& plan) {
  const Defect defect = defect_of_environment();
  bool is_first = true;
  std::uint32_t thread = kPreloadThreads;
  for (WorkOrder order : plan.crew) {
    order.url = plan.url;
    order.layout = plan.layout;
    order.program = plan.program;
    order.keys = plan.keys;
    order.window_ms = plan.window.count();
    if (order.publishes()) {
      order.first_thread = thread;
      thread += static_cast<std::uint32_t>(order.threads);
    } else if (is_first) {
      order.defect = defect;
      is_first = false;
    }
    crew.start(order);
  }
  crew.await_ready();
}

void wait_for_window(Crew& crew, const RunPlan& plan, std::int64_t begin_ns, bool publishing) {
  const std::int64_t end_ns = begin_ns + nanoseconds(plan.window).count();
  while (now_ns() < end_ns) {
    std::this_thread::sleep_for(kTick);
    if (plan.tick && now_ns() > begin_ns) plan.tick(nanoseconds(now_ns() - begin_ns), crew);
    if (!publishing && crew.handled() >= plan.preloaded) return;
  }
}

/// Until all is handled. With repeats among them a count says little: the store is asked, but not
/// while there is progress, which that would disturb.
void drain(const Crew& crew, const RunPlan& plan, std::size_t preloaded, Errands& errands) {
  const std::int64_t until_ns = now_ns() + nanoseconds(plan.drain).count();
  const std::uint64_t expected = crew.published() + preloaded;
  std::uint64_t handled = 0;
  std::int64_t moved_ns = now_ns();
  while (now_ns() < until_ns) {
    if (crew.handled() != handled) {
      handled = crew.handled();
      moved_ns = now_ns();
    }
    const bool is_still = now_ns() - moved_ns > nanoseconds(kStill).count();
    if (plan.repeats == Repeats::forbidden) {
      if (handled >= expected) return;
    } else if ((handled >= expected || is_still) && errands.leftover().pending == 0) {
      return;
    }
    std::this_thread::sleep_for(is_still ? kLookAtStore : kTick);
  }
}

}  // namespace

std::vector<Record> prepare(const RunPlan& plan) {
  make_tables(plan.layout, plan.url);
  return preload(plan);
}

Leftover leftover_of(const RunPlan& plan) {
  if (const auto peer = open_peer(plan.layout, plan.url)) return peer->leftover();
  const auto store = open_layout(plan.layout, plan.url, 1);
  Leftover leftover;
  for (const auto& [name, handler] : store->bus().statistics().handlers) {
    leftover.pending += handler.pending + handler.in_flight;
    leftover.dead += handler.dead;
  }
  return leftover;
}

RunRecord run(const RunPlan& plan) {
  const RunFolder folder;
  Errands errands(plan, folder.path());
  RunRecord record;
  record.published = errands.prepare();
  const std::size_t preloaded = record.published.size();
  const bool publishing = std::ranges::any_of(plan.crew, &WorkOrder::publishes);

  std::optional<ServerCounters> counters;
  if (plan.counts_cost) counters.emplace(plan.url, plan.layout);
  {
    Crew crew(folder.path());
    if (counters) counters->begin();
    start_crew(crew, plan);
    const std::int64_t first_ns = now_ns() + nanoseconds(kNotice).count();
    record.begin_ns = first_ns + nanoseconds(plan.dispatchers_ahead).count();
    record.window_ns = nanoseconds(plan.window).count();
    crew.begin({.dispatchers_ns = first_ns, .publishers_ns = record.begin_ns});
    wait_for_window(crew, plan, record.begin_ns, publishing);
    if (plan.after_window) plan.after_window();
    if (publishing) crew.await_publishers(kPatience);
    if (publishing || plan.repeats == Repeats::allowed) drain(crew, plan, preloaded, errands);
    crew.end(kPatience);
    const std::vector<Record> published = crew.published_records();
    record.published.insert(record.published.end(), published.begin(), published.end());
    record.handled = crew.handled_records();
  }
  std::ranges::sort(record.handled, {}, &Record::at_ns);
  if (counters) record.cost = counters->end();
  record.verdict = judge(record.published, record.handled,
                         {.keys = plan.keys, .repeats = plan.repeats}, errands.leftover());
  // Else the server would vacuum what is left of this run during the next.
  errands.remove_tables();
  return record;
}

double rate_in_window(const RunRecord& record, const std::vector<Record>& records) {
  const std::int64_t end_ns = record.begin_ns + record.window_ns;
  std::size_t count = 0;
  std::int64_t last_ns = 0;
  for (const Record& one : records) {
    if (one.at_ns < record.begin_ns || one.at_ns > end_ns) continue;
    ++count;
    last_ns = std::max(last_ns, one.at_ns);
  }
  if (count == 0) return 0;
  // Where nothing was left to do before the end, the rest of the window says nothing.
  const bool ran_dry = &records == &record.handled && count == record.published.size();
  const std::int64_t took_ns = ran_dry ? last_ns - record.begin_ns : record.window_ns;
  return static_cast<double>(count) * 1e9 / static_cast<double>(took_ns);
}

double rate_between(const RunRecord& record, std::int64_t from_ns, std::int64_t to_ns) {
  const auto count = std::ranges::count_if(
      record.handled, [&](const Record& one) { return one.at_ns >= from_ns && one.at_ns < to_ns; });
  return to_ns > from_ns ? static_cast<double>(count) * 1e9 / static_cast<double>(to_ns - from_ns)
                         : 0;
}

}  // namespace penstock::bench

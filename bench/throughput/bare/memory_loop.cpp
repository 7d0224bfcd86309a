// What a careful programmer would write by hand where nothing has to be durable, ordered, retried
// or fenced: a queue behind a mutex. It says what the guarantees cost.
#include <algorithm>
#include <deque>
#include <functional>
#include <mutex>

#include "../contestant.hpp"

namespace penstock::bench {
namespace {

class MemoryLoop final : public Contestant {
 public:
  Sample run(const Case& bench_case, const std::filesystem::path&) override {
    HandledLog log(bench_case);
    const std::vector<Event> events = make_events(bench_case);
    Sample sample;

    auto begin = std::chrono::steady_clock::now();
    for (std::size_t at = 0; at < events.size(); at += bench_case.batch) {
      publish(events, at, bench_case.batch);
    }
    sample.published_per_second = rate_since(begin, events.size());

    const std::function<void(const Event&)> handler = [&log](const Event& event) {
      log.record(event.payload);
    };
    begin = std::chrono::steady_clock::now();
    while (dispatch(handler, bench_case.batch)) {
    }
    sample.dispatched_per_second = rate_since(begin, events.size());
    sample.exactness = log.check();
    return sample;
  }

 private:
  void publish(const std::vector<Event>& events, std::size_t at, std::size_t batch) {
    std::vector<std::shared_ptr<const Event>> copies;
    for (std::size_t i = at; i < std::min(at + batch, events.size()); ++i) {
      auto copy = std::make_shared<Event>(events[i]);
      copy->id = EventId::generate();
      copies.push_back(std::move(copy));
    }
    const std::lock_guard lock(mutex_);
    queue_.insert(queue_.end(), copies.begin(), copies.end());
  }

  bool dispatch(const std::function<void(const Event&)>& handler, std::size_t batch) {
    std::vector<std::shared_ptr<const Event>> claimed;
    {
      const std::lock_guard lock(mutex_);
      while (!queue_.empty() && claimed.size() < batch) {
        claimed.push_back(std::move(queue_.front()));
        queue_.pop_front();
      }
    }
    for (const auto& event : claimed) handler(*event);
    return !claimed.empty();
  }

  std::mutex mutex_;
  std::deque<std::shared_ptr<const Event>> queue_;
};

}  // namespace

std::unique_ptr<Contestant> bare_memory_loop() { return std::make_unique<MemoryLoop>(); }

}  // namespace penstock::bench

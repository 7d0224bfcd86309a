// penstock as a user has it: the public interface, one publisher, one handler, one dispatcher.
#include <algorithm>
#include <penstock/penstock.hpp>
#include <span>

#include "contestant.hpp"

namespace penstock::bench {
namespace {

class PenstockContestant final : public Contestant {
 public:
  using UrlOf = std::string (*)(const std::filesystem::path& folder);
  explicit PenstockContestant(UrlOf url_of) : url_of_(url_of) {}

  Sample run(const Case& bench_case, const std::filesystem::path& folder) override {
    const auto store = open_store(url_of_(folder));
    HandledLog log(bench_case);
    Bus bus{*store};
    bus.subscribe("bench", kType,
                  [&log](const Delivery& delivery) { log.record(delivery.event().payload); });
    const std::vector<Event> events = make_events(bench_case);

    Sample sample;
    sample.published_per_second = publish(bus, events, bench_case.batch);
    sample.dispatched_per_second = dispatch(bus, bench_case);
    sample.exactness = log.check();
    return sample;
  }

 private:
  static double publish(Bus& bus, std::span<const Event> events, std::size_t batch) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t at = 0; at < events.size(); at += batch) {
      bus.publish(events.subspan(at, std::min(batch, events.size() - at)));
    }
    return rate_since(begin, events.size());
  }

  static double dispatch(Bus& bus, const Case& bench_case) {
    const auto begin = std::chrono::steady_clock::now();
    auto dispatcher = bus.start({.concurrency = 2, .batch = bench_case.batch});
    dispatcher.run_until_idle();
    return rate_since(begin, bench_case.events);
  }

  UrlOf url_of_;
};

}  // namespace

std::unique_ptr<Contestant> penstock_on_memory() {
  return std::make_unique<PenstockContestant>(
      [](const std::filesystem::path&) -> std::string { return "memory:"; });
}

std::unique_ptr<Contestant> penstock_on_sqlite() {
  return std::make_unique<PenstockContestant>([](const std::filesystem::path& folder) {
    return "sqlite:" + (folder / "bench.db").string();
  });
}

}  // namespace penstock::bench

// One loop on one thread. Publishing keeps a bounded lead over the handlers, so that kills meet a
// system at work from the beginning to the end.
#include "demo/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "demo/fleet.hpp"
#include "demo/journal.hpp"
#include "demo/workload.hpp"
#include "demo/workplace.hpp"
#include "penstock/admin.hpp"
#include "penstock/store.hpp"

namespace penstock::cli::demo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 100;
constexpr std::int64_t kLead = 1'000;
// Longer than a crashed delivery needs to be tried again, whose worker's lease must expire first.
constexpr auto kPatience = std::chrono::seconds{15};
constexpr auto kLookEvery = std::chrono::milliseconds{250};
constexpr auto kPause = std::chrono::milliseconds{10};

/// A call that may be repeated, repeated for as long as a restart of the server may take.
template <typename Call>
auto surely(Call call) {
  const auto deadline = Clock::now() + std::chrono::minutes{1};
  for (;;) {
    try {
      return call();
    } catch (const Error& error) {
      const bool repeatable = error.kind() == ErrorKind::in_doubt ||
                              error.kind() == ErrorKind::conflict ||
                              error.kind() == ErrorKind::unavailable;
      if (!repeatable || Clock::now() > deadline) throw;
      std::this_thread::sleep_for(kPause);
    }
  }
}

std::int64_t open_deliveries(const Statistics& statistics) {
  std::int64_t open = 0;
  for (const auto& [name, one] : statistics.handlers) open += one.pending + one.in_flight;
  return open;
}

class Run {
 public:
  Run(const RunOptions& options, Progress& progress)
      : options_(options),
        progress_(progress),
        workload_(options.input, options.seed),
        workplace_(options.db),
        store_(open_store(workplace_.url())),
        admin_(store_->bus()),
        journals_(workplace_.folder()),
        publish_journal_(published_journal(workplace_.folder())) {}

  RunResult run() {
    prepare();
    const auto start = Clock::now();
    Fleet fleet{{.db = workplace_.url(),
                 .folder = workplace_.folder().string(),
                 .size = options_.workers,
                 .seed = options_.seed}};
    last_progress_ = Clock::now();
    while (!is_over()) {
      const bool published = publish_some();
      journals_.read_on();
      fleet.replace_fallen();
      if (is_kill_due()) kill(fleet, Fleet::Aim::busy_only);
      if (is_restart_due()) restart_server();
      show(fleet);
      if (!published) std::this_thread::sleep_for(kPause);
    }
    result_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    // A run too short for all of its kills still delivers them, to workers that have nothing to do.
    while (result_.kills < options_.kills) kill(fleet, Fleet::Aim::anyone);
    while (result_.server_restarts < options_.server_restarts) restart_server();
    fleet.stop();
    result_.crashes = fleet.crashes();
    judge();
    return std::move(result_);
  }

 private:
  void prepare() {
    BusStore& bus = store_->bus();
    bus.setup(SetupMode::migrate);
    workplace_.mark(bus);
    for (const AuditedHandler& handler : handlers()) {
      bus.subscribe({.handler = handler.name,
                     .types = handler.types,
                     .max_attempts = handler.name == kPoisonHandler ? kPoisonAttempts : 25});
    }
    result_.store = bus.capabilities().store;
    result_.url = workplace_.url();
    result_.handlers = static_cast<std::int64_t>(handlers().size());
  }

  [[nodiscard]] bool has_published_all() const {
    return result_.published == static_cast<std::int64_t>(options_.events);
  }

  bool publish_some() {
    const auto handled = static_cast<std::int64_t>(journals_.handled().size());
    if (has_published_all() || deliveries_ - handled > kLead) return false;
    const auto left = options_.events - static_cast<std::size_t>(result_.published);
    const std::vector<Event> events = workload_.next(std::min(kBatch, left));
    std::vector<PublishedRecord> records;
    for (const Event& event : events) records.push_back({*event.id, event.type, event.key});
    publish_journal_.write(records);
    publish_surely(events);
    result_.published += static_cast<std::int64_t>(events.size());
    last_progress_ = Clock::now();
    return true;
  }

  void publish_surely(const std::vector<Event>& events) {
    // The ids are set, so a publish in doubt is repeated without harm.
    surely([&] { return store_->bus().publish(events, nullptr); });
    for (const Event& event : events) {
      for (const AuditedHandler& handler : handlers()) {
        deliveries_ += std::ranges::any_of(
            handler.types, [&event](const std::string& type) { return wants(type, event.type); });
      }
    }
  }

  /// The share of the whole work that is handled, as far as it can be known while publishing.
  [[nodiscard]] double handled_share() const {
    if (result_.published == 0) return 0;
    const double per_event =
        static_cast<double>(deliveries_) / static_cast<double>(result_.published);
    return static_cast<double>(journals_.handled().size()) /
           (per_event * static_cast<double>(options_.events));
  }

  [[nodiscard]] bool is_kill_due() const {
    return result_.kills < options_.kills &&
           handled_share() * (options_.kills + 1) >= static_cast<double>(result_.kills + 1);
  }

  void kill(Fleet& fleet, Fleet::Aim aim) {
    const Fleet::Kill kill =
        fleet.kill_one(aim, [this](const std::string& worker) { return has_work(worker); });
    if (kill == Fleet::Kill::none) return;
    ++result_.kills;
    if (kill == Fleet::Kill::in_flight) ++result_.kills_in_flight;
  }

  [[nodiscard]] bool is_restart_due() const {
    return result_.server_restarts < options_.server_restarts &&
           handled_share() * (options_.server_restarts + 1) >=
               static_cast<double>(result_.server_restarts + 1);
  }

  void restart_server() {
    const int status = std::system(options_.restart_command.c_str());
    if (status != 0) {
      throw Error(ErrorKind::unavailable,
                  fmt::format("the restart command ended with status {}: expected it to kill the "
                              "database server and to start it again: {}",
                              status, options_.restart_command),
                  {.operation = "demo"});
    }
    ++result_.server_restarts;
    last_progress_ = Clock::now();
  }

  bool has_work(const std::string& worker) {
    const auto page =
        surely([&] { return admin_.list({.status = DeliveryStatus::in_flight, .limit = 1000}); });
    return std::ranges::any_of(page.items, [&worker](const DeliveryInfo& delivery) {
      return delivery.lease_owner.value_or("").starts_with(worker + "/");
    });
  }

  /// All is finished, or nothing has moved for too long: then the verdict will say so.
  bool is_over() {
    const auto now = Clock::now();
    if (now < next_look_) return false;
    next_look_ = now + kLookEvery;
    const std::int64_t open = open_deliveries(surely([&] { return admin_.statistics(); }));
    if (has_published_all() && open == 0) return true;
    // Once all is published only fewer open deliveries are progress: a delivery that kills its
    // worker for ever would fill the journals for ever. Before that, the journals have to do.
    const std::size_t handled = journals_.handled().size();
    const bool moves = has_published_all() ? open < fewest_open_ : handled != handled_before_;
    if (moves) last_progress_ = now;
    handled_before_ = handled;
    if (has_published_all()) fewest_open_ = std::min(fewest_open_, open);
    return now - last_progress_ > kPatience;
  }

  void show(const Fleet& fleet) {
    progress_.update(
        journals_.handled().size(),
        static_cast<std::uint64_t>(static_cast<double>(journals_.handled().size()) /
                                   std::max(handled_share(), 0.001)),
        fmt::format("{} of {} kills, {} crashes", result_.kills, options_.kills, fleet.crashes()));
  }

  void judge() {
    journals_.read_on();
    result_.failures = journals_.failures();
    Evidence evidence{
        .handlers = handlers(), .published = journals_.published(), .handled = journals_.handled()};
    ListQuery query{.status = DeliveryStatus::dead, .limit = 1000};
    for (;;) {
      const DeliveryPage page = surely([&] { return admin_.list(query); });
      for (const DeliveryInfo& delivery : page.items) {
        evidence.dead.insert({delivery.handler, delivery.event_id});
        if (result_.dead.size() < 5) result_.dead.push_back(delivery);
      }
      if (!page.next) break;
      query.after = *page.next;
    }
    const Statistics statistics = surely([&] { return admin_.statistics(); });
    evidence.pending = open_deliveries(statistics);
    result_.takeovers = statistics.takeovers;
    result_.verdict = audit(evidence);
  }

  const RunOptions& options_;
  Progress& progress_;
  Workload workload_;
  Workplace workplace_;
  std::unique_ptr<Store> store_;
  Admin admin_;
  JournalReader journals_;
  JournalWriter publish_journal_;
  RunResult result_{};
  std::int64_t deliveries_ = 0;  ///< That the events published so far must have.
  std::int64_t fewest_open_ = INT64_MAX;
  std::size_t handled_before_ = 0;
  Clock::time_point next_look_{};
  Clock::time_point last_progress_{};
};

}  // namespace

RunResult run(const RunOptions& options, Progress& progress) {
  return Run{options, progress}.run();
}

}  // namespace penstock::cli::demo

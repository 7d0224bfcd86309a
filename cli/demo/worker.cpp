// Handlers that journal what they did before they return: the journal is the side effect that the
// auditor believes.
#include "demo/worker.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "demo/journal.hpp"
#include "demo/workload.hpp"
#include "penstock/bus.hpp"
#include "process/termination.hpp"

namespace penstock::cli::demo {
namespace {

constexpr std::uint8_t kFlakyShare = 16;  // One event in so many fails once.

bool is_unlucky(const Delivery& delivery) {
  return delivery.handler() == kFlakyHandler && delivery.attempt() == 1 &&
         delivery.event_id().bytes().back() % kFlakyShare == 0;
}

HandledRecord record_of(const Delivery& delivery) {
  using namespace std::chrono;
  const auto waited = system_clock::now() - delivery.published_at();
  const auto now = steady_clock::now().time_since_epoch();  // One clock for all processes here.
  return {.handler = delivery.handler(),
          .id = delivery.event_id(),
          .at_ns = duration_cast<nanoseconds>(now).count(),
          .latency_us = duration_cast<microseconds>(waited).count()};
}

void handle(const Delivery& delivery, JournalWriter& journal) {
  if (delivery.handler() == kPoisonHandler) std::abort();
  if (is_unlucky(delivery)) {
    journal.write_failure(delivery.handler());
    throw std::runtime_error("the ledger did not answer (a fault that the demo makes)");
  }
  journal.write(record_of(delivery));
}

Duration short_delay(int, double random) {
  return std::chrono::milliseconds{50 + static_cast<int>(random * 100)};
}

void be_a_good_victim() {
  // Not to outlive the demo, and to leave no core file when the poison handler aborts.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace

std::string worker_name(int number) { return fmt::format("demo-{}", number); }

ExitCode run_worker(const WorkerOptions& options) {
  be_a_good_victim();
  Termination termination;
  JournalWriter journal{worker_journal(options.folder, options.number)};
  const auto store = open_store(options.db);
  Bus bus{*store, {.setup_store = false}};
  for (const AuditedHandler& handler : handlers()) {
    bus.subscribe(handler.name, handler.types,
                  [&journal](const Delivery& delivery) { handle(delivery, journal); },
                  {.max_attempts = handler.name == kPoisonHandler ? kPoisonAttempts : 25,
                   .retry_delay = short_delay});
  }
  Dispatcher dispatcher = bus.start({.name = worker_name(options.number),
                                     .lease = kLease,
                                     .purge_every = Duration{0},
                                     .concurrency = 8,
                                     .batch = 32,
                                     .poll = std::chrono::milliseconds{200}});
  while (!termination.wait(std::chrono::seconds{1}) && dispatcher.healthy()) {
  }
  dispatcher.stop();
  return ExitCode::done;
}

}  // namespace penstock::cli::demo

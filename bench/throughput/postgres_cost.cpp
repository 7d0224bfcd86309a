// The counters are read on a session of their own, after the store's sessions have ended: the
// server hears of what a session did when that is over.
#include "postgres_cost.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <penstock/penstock.hpp>
#include <span>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "harness/session.hpp"

namespace penstock::bench {
namespace {

constexpr char kSchema[] = "penstock_bench";
constexpr auto kPatience = std::chrono::seconds{10};

// What a delivery may cost, at batch 200 and at smaller ones.
constexpr std::size_t kFullBatch = 200;
constexpr double kMostClaims = 0.01;
constexpr double kMostCompletions = 0.02;
constexpr double kMostWal = 150;
constexpr double kLeastHeapOnly = 0.90;
constexpr double kLeastHeapOnlySmall = 0.97;

std::string with_schema(const std::string& url) {
  return url + (url.find('?') == std::string::npos ? "?schema=" : "&schema=") + kSchema;
}

/// Bytes of the log between two places.
struct Wal {
  double records = 0;
  double images = 0;
};
Wal wal_between(Session& session, const std::string& from, const std::string& to) {
  const std::string stats =
      " from pg_get_wal_stats('" + from + "'::pg_lsn, '" + to + "'::pg_lsn, false)";
  return {.records = session.number("select sum(record_size)" + stats),
          .images = session.number("select sum(fpi_size)" + stats)};
}

std::string place_in_wal(Session& session) {
  return session.ask("select pg_current_wal_flush_lsn()");
}

double lanes_updated(Session& session, const char* how) {
  return session.number(std::string("select pg_stat_get_tuples_") + how +
                        "('penstock_bench.lanes'::regclass)");
}

double calls_of(Session& session, const std::string& pattern) {
  return session.number(
      "select coalesce(sum(calls), 0) from pg_stat_statements where query like '%" + pattern +
      "%'");
}

double publish(Bus& bus, std::span<const Event> events) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t at = 0; at < events.size(); at += kFullBatch) {
    bus.publish(events.subspan(at, std::min(kFullBatch, events.size() - at)));
  }
  return rate_since(begin, events.size());
}

void await_report(Session& session, double before) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (lanes_updated(session, "updated") <= before) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error("the server reports no updates of lanes: is track_counts on?");
    }
    std::this_thread::yield();
  }
}

}  // namespace

PostgresCost postgres_cost(const Case& bench_case, const std::string& url) {
  Session session(url);
  session.ask("create extension if not exists pg_stat_statements");
  session.ask("create extension if not exists pg_walinspect");
  drop_tables(with_schema(url));
  PostgresCost cost{.bench_case = bench_case};
  HandledLog log(bench_case);
  const double events = bench_case.events;
  const std::vector<Event> made = make_events(bench_case);
  session.ask("checkpoint");
  std::string loaded;
  double updates_before = 0;
  double heap_only_before = 0;
  {
    const auto store = open_store(with_schema(url));
    Bus bus{*store};
    bus.subscribe("bench", kType,
                  [&log](const Delivery& delivery) { log.record(delivery.event().payload); });
    const std::string empty = place_in_wal(session);
    cost.published_per_second = publish(bus, made);
    loaded = place_in_wal(session);
    cost.publish_wal = wal_between(session, empty, loaded).records / events;
    updates_before = lanes_updated(session, "updated");
    heap_only_before = lanes_updated(session, "hot_updated");
    session.ask("select pg_stat_statements_reset()");

    const auto begin = std::chrono::steady_clock::now();
    auto dispatcher = bus.start({.concurrency = 2, .batch = bench_case.batch});
    dispatcher.run_until_idle();
    cost.dispatched_per_second = rate_since(begin, bench_case.events);
    dispatcher.stop();
  }
  const Wal wal = wal_between(session, loaded, place_in_wal(session));
  cost.dispatch_wal = wal.records / events;
  cost.full_page_images = wal.images / events;
  cost.claims_per_delivery = calls_of(session, "\"claim\"(") / events;
  cost.completions_per_delivery = calls_of(session, "\"complete\"(") / events;
  cost.statements_per_delivery = calls_of(session, "penstock_bench") / events;
  await_report(session, updates_before);
  const double updates = lanes_updated(session, "updated") - updates_before;
  cost.lane_updates = updates / events;
  cost.lanes_heap_only = (lanes_updated(session, "hot_updated") - heap_only_before) / updates;
  cost.exactness = log.check();
  drop_tables(with_schema(url));
  return cost;
}

void print_cost_header(std::ostream& out) {
  out << "| store | batch | keys | events | published /s | dispatched /s | statements per "
         "delivery: "
         "claim, complete, all | WAL per event published | WAL per delivery dispatched (and "
         "full-page images) | lane updates per delivery, heap-only |\n"
      << "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
}

void print_cost(std::ostream& out, const PostgresCost& cost) {
  std::ostringstream line;
  line << std::fixed << std::setprecision(0) << "| postgres | " << cost.bench_case.batch << " | "
       << (cost.bench_case.keys == Keys::none ? "no" : "200") << " | " << cost.bench_case.events
       << " | " << cost.published_per_second << " | " << cost.dispatched_per_second << " | "
       << std::setprecision(4) << cost.claims_per_delivery << ", " << cost.completions_per_delivery
       << ", " << cost.statements_per_delivery << " | " << std::setprecision(0) << cost.publish_wal
       << " B | " << cost.dispatch_wal << " B (" << cost.full_page_images << " B) | "
       << std::setprecision(3) << cost.lane_updates << ", " << std::setprecision(1)
       << 100 * cost.lanes_heap_only << " % |\n";
  out << line.str() << std::flush;
}

std::vector<std::string> missed_costs(const std::vector<PostgresCost>& costs) {
  std::vector<std::string> missed;
  for (const PostgresCost& cost : costs) {
    const bool full = cost.bench_case.batch == kFullBatch;
    const std::string name = "postgres, batch " + std::to_string(cost.bench_case.batch) +
                             (cost.bench_case.keys == Keys::none ? ", unkeyed" : ", keyed");
    const auto check = [&](const char* what, double found, double most) {
      if (found > most) {
        missed.push_back(name + ": " + what + " " + std::to_string(found) + ", at most " +
                         std::to_string(most));
      }
    };
    if (full) {
      check("claims per delivery", cost.claims_per_delivery, kMostClaims);
      check("completions per delivery", cost.completions_per_delivery, kMostCompletions);
      check("bytes of WAL per delivery", cost.dispatch_wal, kMostWal);
    }
    check("share of lane updates that are not heap-only", 1 - cost.lanes_heap_only,
          1 - (full ? kLeastHeapOnly : kLeastHeapOnlySmall));
    if (!cost.exactness.exact()) missed.push_back(name + ": the run was not exact");
  }
  return missed;
}

}  // namespace penstock::bench

// One delivery passes through the baseline's tables, and what it left there is read.
#include <chrono>
#include <optional>
#include <thread>

#include "base/invariant.hpp"
#include "baseline.hpp"
#include "baseline_bus.hpp"
#include "store/postgres/pages/page_reader.hpp"

namespace penstock::bench {
namespace {

using postgres::detail::Database;
using postgres::detail::PageReader;
using std::chrono::steady_clock;

constexpr char kDeliveries[] = "deliveries";
// Sessions report to the server's statistics at the latest when they end; then it takes moments.
constexpr auto kPatience = std::chrono::seconds{10};
constexpr auto kLookEvery = std::chrono::milliseconds{20};

/// On sessions of its own, which report when they end.
void run_one_delivery(const std::string& url, const std::optional<std::string>& key) {
  const auto store = open_baseline(url);
  BusStore& bus = store->bus();
  bus.subscribe({.handler = "one", .types = {"*"}});
  const Event event{.type = "page.evidence", .key = key, .payload = std::string(256, 'x')};
  static_cast<void>(bus.publish({&event, 1}, nullptr));
  const HandlerRoom room{.handler = "one", .room = 1};
  const WorkerId worker = WorkerId::incarnation_of("pages");
  const Claimed claimed = bus.claim({.worker = worker, .handlers = {&room, 1}, .limit = 1});
  PENSTOCK_INVARIANT(claimed.work.size() == 1);
  const Token token = claimed.work.front().token;
  PENSTOCK_INVARIANT(bus.complete({&token, 1}, nullptr).front() == Verdict::done);
}

PageEvidence inspect(const std::string& url, const std::optional<std::string>& key) {
  make_baseline_tables(url);
  Database database(baseline_options(url));
  PageReader reader(database);
  reader.find_pageinspect();
  reader.keep_vacuum_from(kDeliveries);
  run_one_delivery(url, key);

  PageEvidence evidence{.keyed = key.has_value()};
  const auto deadline = steady_clock::now() + kPatience;
  do {
    std::this_thread::sleep_for(kLookEvery);
    evidence.deliveries = reader.counters(kDeliveries);
  } while (evidence.deliveries.updated < 2 && steady_clock::now() < deadline);
  reader.read_pages(evidence.deliveries, 0);
  return evidence;
}

}  // namespace

std::vector<PageEvidence> inspect_baseline_pages(const std::string& url) {
  return {inspect(url, {}), inspect(url, "order-42")};
}

}  // namespace penstock::bench

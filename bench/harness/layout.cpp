// See layout.hpp.
#include "harness/layout.hpp"

#include <stdexcept>

#ifdef PENSTOCK_BENCH_BASELINE
#include "baseline/baseline.hpp"
#include "harness/session.hpp"
#endif
#include "peers/peer.hpp"
#include "throughput/workload.hpp"

namespace penstock::bench {
namespace {

std::string with_option(const std::string& url, const std::string& option) {
  return url + (url.find('?') == std::string::npos ? '?' : '&') + option;
}

std::string in_schema(const std::string& url) {
  return is_postgres(url) ? with_option(url, std::string("schema=") + kSchema) : url;
}

}  // namespace

std::string_view to_string(Layout layout) noexcept {
  switch (layout) {
    case Layout::penstock: return "penstock";
    case Layout::baseline: return "baseline";
    case Layout::pgq: return "pgq";
    case Layout::graphile: break;
  }
  return "graphile";
}

bool is_peer(Layout layout) noexcept { return layout == Layout::pgq || layout == Layout::graphile; }

bool is_built_in([[maybe_unused]] Layout layout) noexcept {
#ifdef PENSTOCK_BENCH_BASELINE
  return true;
#else
  return layout != Layout::baseline;
#endif
}

bool is_postgres(std::string_view url) noexcept {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

std::unique_ptr<Store> open_layout(Layout layout, const std::string& url, std::size_t pool_size) {
  const std::string pool = "pool_size=" + std::to_string(pool_size);
#ifdef PENSTOCK_BENCH_BASELINE
  if (layout == Layout::baseline) return open_baseline(with_option(url, pool));
#endif
  if (!is_built_in(layout)) throw std::runtime_error("built without the baseline");
  return open_store(is_postgres(url) ? with_option(in_schema(url), pool) : url);
}

void make_tables(Layout layout, const std::string& url) {
  remove_tables(layout, url);
  if (const auto peer = open_peer(layout, url)) {
    peer->make_tables();
    return;
  }
#ifdef PENSTOCK_BENCH_BASELINE
  if (layout == Layout::baseline) make_baseline_tables(url);
#endif
  const auto store = open_layout(layout, url, 2);
  if (layout == Layout::penstock) store->bus().setup(SetupMode::migrate);
  store->bus().subscribe({.handler = kHandler, .types = {kType}});
}

std::string deliveries_table(Layout layout) {
  switch (layout) {
    case Layout::penstock: break;
    case Layout::baseline: return "penstock_bench_baseline.relaybus_deliveries";
    case Layout::pgq: break;
    case Layout::graphile: return "penstock_bench_graphile._private_jobs";
  }
  return "penstock_bench.deliveries";
}

std::string events_table(Layout layout) {
  return layout == Layout::penstock ? "penstock_bench.events"
                                    : "penstock_bench_baseline.relaybus_events";
}

void remove_tables(Layout layout, const std::string& url) {
  if (const auto peer = open_peer(layout, url)) peer->remove_tables();
  if (layout == Layout::penstock) drop_tables(in_schema(url));
#ifdef PENSTOCK_BENCH_BASELINE
  if (layout == Layout::baseline) {
    Session(url).ask(std::string("drop schema if exists ") + kBaselineSchema + " cascade");
  }
#endif
}

}  // namespace penstock::bench

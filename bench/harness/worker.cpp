// See worker.hpp. Connections are opened before "ready", so that no window pays for them.
#include "harness/worker.hpp"

#include <penstock/penstock.hpp>
#include <span>
#include <stdexcept>

#ifdef PENSTOCK_BENCH_POSTGRES
#include "floor/floor.hpp"
#endif
#include "harness/errands.hpp"
#include "harness/journal.hpp"
#include "harness/paced_loop.hpp"
#include "harness/recorder.hpp"
#include "harness/starting_line.hpp"
#include "harness/work_order.hpp"
#include "peers/peer.hpp"

namespace penstock::bench {
namespace {

void dispatch(const WorkOrder& order, const std::filesystem::path& path) {
  if (const auto peer = open_peer(order.layout, order.url)) {
    peer->dispatch(path);
    return;
  }
  Journal journal(order.journal);
  Recorder recorder(journal, order.keys, order.defect);
  const auto store = open_layout(order.layout, order.url, order.pool_size);
  Bus bus{*store, {.setup_store = false}};
  bus.subscribe(kHandler, kType, [&recorder](const Delivery& delivery) {
    recorder.handle(delivery.event().payload);
  });
  if (await_beginning() == 0) return;
  auto dispatcher = bus.start({.lease = std::chrono::milliseconds(order.lease_ms),
                               .purge_every = Duration{0},
                               .concurrency = order.concurrency,
                               .batch = order.batch,
                               .poll = std::chrono::milliseconds(order.poll_ms)});
  await_end();
  if (!dispatcher.healthy()) throw std::runtime_error("the dispatcher stopped claiming");
  dispatcher.stop();
}

void publish(const WorkOrder& order) {
  if (const auto peer = open_peer(order.layout, order.url)) {
    run_publishers(order, [&peer](std::size_t) { return peer->publisher(); });
    return;
  }
  const auto store = open_layout(order.layout, order.url, order.pool_size);
  static_cast<void>(store->bus().subscriptions());
  run_publishers(order, [&store](std::size_t) {
    return [&store](std::span<const Event> events) {
      static_cast<void>(store->bus().publish(events, nullptr));
    };
  });
}

}  // namespace

void work(const std::filesystem::path& path) {
  const WorkOrder order = read_order(path);
  switch (order.role) {
    case Role::publish: publish(order); break;
    case Role::dispatch: dispatch(order, path); break;
    case Role::prepare:
    case Role::count_left:
    case Role::remove: do_errand(order); break;
#ifdef PENSTOCK_BENCH_POSTGRES
    case Role::floor_publish: floor_publish(order); break;
    case Role::floor_dispatch: floor_dispatch(order); break;
#else
    case Role::floor_publish:
    case Role::floor_dispatch: throw std::runtime_error("the floor needs PostgreSQL");
#endif
  }
}

}  // namespace penstock::bench

// See peer.hpp.
#include "peer.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#ifdef PENSTOCK_BENCH_POSTGRES
#include "peers/graphile/graphile.hpp"
#include "peers/pgq/pgq.hpp"
#endif

namespace penstock::bench {
namespace {

constexpr std::chrono::milliseconds kBetweenTicks{20};

void tick_until(const std::stop_token& stop, Peer& peer) {
  std::mutex mutex;
  std::condition_variable_any told;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    peer.tick();
    told.wait_for(lock, stop, kBetweenTicks, [] { return false; });
  }
}

}  // namespace

Ticking::Ticking(Peer& peer)
    : ended_(std::async(std::launch::async,
                        [&peer, stop = stop_.get_token()] { tick_until(stop, peer); })) {}

void Ticking::end() {
  stop_.request_stop();
  ended_.get();
}

std::unique_ptr<Peer> open_peer(Layout layout, [[maybe_unused]] const std::string& url) {
  if (!is_peer(layout)) return nullptr;
#ifdef PENSTOCK_BENCH_POSTGRES
  return layout == Layout::pgq ? open_pgq(url) : open_graphile(url);
#else
  throw std::runtime_error("built without PostgreSQL, which the peers need");
#endif
}

}  // namespace penstock::bench

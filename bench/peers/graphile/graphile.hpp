// graphile-worker, a job queue of the row-per-job kind. Jobs are published through its SQL function
// from our own publishers, which spares it the price of Node there; they are run by its own worker,
// worker.mjs, in its batched mode.
#pragma once

#include <memory>

#include "peers/peer.hpp"
#include "peers/survey.hpp"

namespace penstock::bench {

/// How a dispatching process runs it, whatever penstock's configuration is: the fastest that was
/// found. On 2 processors a local queue of 500 made 25,000 jobs/s in one process and under 10,000
/// in eight; one of 2,000 made 30,000 and 38,000. More at once, or more connections, made no
/// difference.
struct GraphileConfig {
  std::size_t concurrency = 24;
  std::size_t local_queue = 2000;
  std::size_t connections = 8;
  std::int64_t poll_ms = 50;
};

[[nodiscard]] std::unique_ptr<Peer> open_graphile(const std::string& url);
/// Installs it into the build folder. Throws: std::runtime_error, whose text is AbsentPeer::why.
[[nodiscard]] PresentPeer find_graphile(const std::string& url);

}  // namespace penstock::bench

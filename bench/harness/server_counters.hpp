// What a run costs the server, from the server's own counters. Where a server has none (another
// store, an extension that is not there) a value is absent, and reported as "–".
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/layout.hpp"

namespace penstock::bench {

struct TupleCounters {
  double inserted = 0;
  double updated = 0;
  double heap_only = 0;  ///< Of the updates.
  double deleted = 0;
};

/// Over a whole run, not per delivery.
struct ServerCost {
  std::optional<double> wal_bytes{};  ///< Less full-page images.
  std::optional<double> image_bytes{};
  std::optional<double> statements{};
  std::optional<double> commits{};
  std::optional<TupleCounters> deliveries{};
  std::optional<TupleCounters> lanes{};
  std::optional<double> dead_tuples{};  ///< Of deliveries, after the run.
};

/// Threads: one thread at a time.
class ServerCounters {
 public:
  /// Nothing is counted where `url` is not PostgreSQL. Throws: std::runtime_error.
  ServerCounters(const std::string& url, Layout layout);
  ~ServerCounters();
  ServerCounters(const ServerCounters&) = delete;
  ServerCounters& operator=(const ServerCounters&) = delete;

  /// After this a checkpoint has been made, so that every run pays for full-page images alike.
  void begin();
  /// The sessions of the run must have ended: the server hears of what one did when it is over.
  [[nodiscard]] ServerCost end();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::bench

// A store, chosen by URL.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "penstock/bus_store.hpp"
#include "penstock/log.hpp"
#include "penstock/queue_store.hpp"

namespace penstock {

/// One back end, opened. The front doors that stand on it must not outlive it.
///
/// Threads: thread-safe.
class Store {
 public:
  virtual ~Store() = default;
  [[nodiscard]] virtual BusStore& bus() = 0;
  [[nodiscard]] virtual QueueStore& queue() = 0;
};

struct StoreOptions {
  Log log{};
};

/// Opens `memory:`, `sqlite:FILE` and whatever else was built in.
///
/// `sqlite:FILE?completion_history=true` keeps completed deliveries; `%XX` is decoded in FILE.
/// Opening creates nothing that `setup` would create.
/// Throws: usage (unknown scheme or option), unavailable.
/// In:     penstock::penstock.
[[nodiscard]] std::unique_ptr<Store> open_store(std::string_view url, StoreOptions options = {});

/// The statements by which `setup` makes the tables in an empty store, as one script, for people
/// who have a migration tool of their own. Opens nothing.
///
/// Throws: usage (unknown scheme, or a store without SQL).
/// In:     penstock::penstock.
[[nodiscard]] std::string schema_script(std::string_view url);

/// The statements by which `setup` converts the tables that version 0.1.0 made at `url`, as one
/// script. Opens nothing.
///
/// Throws: usage (unknown scheme, or a store that version 0.1.0 did not have).
/// In:     penstock::penstock.
[[nodiscard]] std::string upgrade_script(std::string_view url);

/// The statements that make roles for publishers, workers and administrators at `url`, each with
/// the least that its programs need, as one script. Opens nothing.
///
/// Throws: usage (unknown scheme, or a store without roles).
/// In:     penstock::penstock.
[[nodiscard]] std::string roles_script(std::string_view url);

/// Removes what `setup` made at `url`, and everything in it; on PostgreSQL the schema too, where
/// nothing else is in it. What is not there is no failure.
///
/// Throws: usage (unknown scheme, or a store without tables), unavailable, conflict.
/// In:     penstock::penstock.
void drop_tables(std::string_view url);

}  // namespace penstock

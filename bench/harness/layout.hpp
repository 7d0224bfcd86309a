// Which tables are measured: penstock's own; those of version 0.1.0, where a claim and a completion
// are updates of the delivery's row; or a peer's. Also where in a database a run takes place.
#pragma once

#include <memory>
#include <penstock/store.hpp>
#include <string>
#include <string_view>

namespace penstock::bench {

enum class Layout { penstock, baseline, pgq, graphile };

/// Where penstock's tables of a benchmark are.
inline constexpr char kSchema[] = "penstock_bench";
inline constexpr char kHandler[] = "bench";

[[nodiscard]] std::string_view to_string(Layout layout) noexcept;
/// Whether it is somebody else's, which has no store; see peers/peer.hpp.
[[nodiscard]] bool is_peer(Layout layout) noexcept;
[[nodiscard]] bool is_built_in(Layout layout) noexcept;

[[nodiscard]] bool is_postgres(std::string_view url) noexcept;

/// Not for a peer. A store on `url`, which is as the user wrote it, with at most `pool_size`
/// connections.
[[nodiscard]] std::unique_ptr<Store> open_layout(Layout layout, const std::string& url,
                                                 std::size_t pool_size);
/// Makes the tables anew: empty, with one handler that gets every event of the workload.
void make_tables(Layout layout, const std::string& url);
/// Their names in PostgreSQL; PgQ has to be asked for its own, and peers have no table of events.
[[nodiscard]] std::string deliveries_table(Layout layout);
[[nodiscard]] std::string events_table(Layout layout);
void remove_tables(Layout layout, const std::string& url);

}  // namespace penstock::bench

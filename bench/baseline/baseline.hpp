// The baseline: a store on the tables of version 0.1.0, behind the contract of today, for the
// benchmarks to compare with. A claim writes each row (status, owner, token and end of the lease),
// and so does a completion.
//
// It uses penstock's own connections, pools and pipelines, so that the client's side is the same,
// and is batched as far as that design allows: one statement claims a batch; a batch of completions
// is one statement for each delivery, sent together and committed once; a publish is one statement
// for each table and chunk.
//
// What 0.1.0 did not have is missing here as well: runs of one key, suspects (an expired lease is
// taken over and run again by the same claim), hints across or within processes (it polled), and
// the hint when the next delivery is due. `list`, `requeue` and `bury_selected` throw `usage`;
// `purge` deletes nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "penstock/pages.hpp"
#include "penstock/store.hpp"

namespace penstock::bench {

/// Where the tables are.
inline constexpr char kBaselineSchema[] = "penstock_bench_baseline";

/// Makes the tables anew, empty. `url` is one of PostgreSQL; its schema and prefix are not used.
///
/// Throws: usage, unavailable, conflict.
void make_baseline_tables(const std::string& url);

/// Opens the store. Every call throws `schema` where there are no tables; `setup` makes none.
///
/// Payloads that are JSON come back as the column (jsonb) writes them; others as they were.
/// Throws: usage.
[[nodiscard]] std::unique_ptr<penstock::Store> open_baseline(const std::string& url);

/// As `penstock::inspect_pages`, for tables made anew; lanes there are none. They stay.
///
/// Throws: usage, unavailable, conflict.
[[nodiscard]] std::vector<PageEvidence> inspect_baseline_pages(const std::string& url);

}  // namespace penstock::bench

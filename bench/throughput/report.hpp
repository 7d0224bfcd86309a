// From samples to a table, ratios with their spread, and the verdict on the floors.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "contestant.hpp"
#include "harness/spread.hpp"

namespace penstock::bench {

/// Samples of penstock and of its bare loop, taken in turn: `ours[i]` beside `bare[i]`.
struct Comparison {
  std::string store;
  Case bench_case{};
  std::vector<Sample> ours{};
  std::vector<Sample> bare{};
};

enum class Phase { publish, dispatch };

[[nodiscard]] Spread rates(const std::vector<Sample>& samples, Phase phase);
/// Of the pairs, not of the medians: what disturbs one disturbs its neighbour too.
[[nodiscard]] Spread ratios(const Comparison& comparison, Phase phase);

void print_header(std::ostream& out);
void print_row(std::ostream& out, const Comparison& comparison);

/// What is wrong with the run, one sentence each; empty means met.
[[nodiscard]] std::vector<std::string> inexact_runs(const std::vector<Comparison>& comparisons);
[[nodiscard]] std::vector<std::string> missed_floors(const std::vector<Comparison>& comparisons);

}  // namespace penstock::bench

// See baseline_band.hpp. The lower limits are what 0.1.0 cost; the upper ones leave room for what
// is claimed and given back at the end of a window, which costs two more updates and a statement.
//
// The published WAL of 0.1.0, 2.2 to 2.7 KB for each, has full-page images in it, which follow from
// random ids and the length of a run: docs/benchmarks.md. Without them it was 1.5 to 1.8 KB here.
#include "scenarios/baseline_band.hpp"

#include <array>
#include <optional>

#include "report/text.hpp"

namespace penstock::bench {
namespace {

/// Of fewer, what is done once for each run is too large a part.
constexpr double kLeastUnits = 5'000;

struct Band {
  const char* what;
  double least;
  double most;
  int digits;
  std::optional<double> (*value)(const Measurement&);
};

std::optional<double> each(const Measurement& one, const std::optional<double>& value) {
  return value ? std::optional(*value / one.units) : std::nullopt;
}

constexpr std::array<Band, 4> kBands{{
    {"updates of deliveries for each", 1.9, 2.5, 2,
     [](const Measurement& one) -> std::optional<double> {
       if (!one.cost.deliveries) return {};
       return one.cost.deliveries->updated / one.units;
     }},
    {"% of them heap-only", 0, 0.5, 1,
     [](const Measurement& one) -> std::optional<double> {
       if (!one.cost.deliveries || one.cost.deliveries->updated == 0) return {};
       return 100 * one.cost.deliveries->heap_only / one.cost.deliveries->updated;
     }},
    {"statements for each", 0.95, 1.5, 2,
     [](const Measurement& one) { return each(one, one.cost.statements); }},
    {"B of WAL for each, less full-page images", 1'400, 2'700, 0,
     [](const Measurement& one) { return each(one, one.cost.wal_bytes); }},
}};

}  // namespace

std::string baseline_problem(const Measurement& dispatched) {
  if (dispatched.units < kLeastUnits) return {};
  for (const Band& band : kBands) {
    const std::optional<double> value = band.value(dispatched);
    if (!value || (*value >= band.least && *value <= band.most)) continue;
    return "the baseline is not that of 0.1.0: " + fixed(*value, band.digits) + " " + band.what +
           ", expected " + fixed(band.least, band.digits) + " to " + fixed(band.most, band.digits);
  }
  return {};
}

}  // namespace penstock::bench

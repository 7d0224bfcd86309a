// See pressure_table.hpp.
#include "report/pressure_table.hpp"

#include <algorithm>
#include <ostream>

#include "report/text.hpp"
#include "scenarios/pressure.hpp"

namespace penstock::bench {
namespace {

std::optional<double> share_of(const Measurement& one) {
  if (one.rate_before.value_or(0) <= 0) return {};
  return one.per_second / *one.rate_before;
}

/// The samples that never recovered make it no number: the slowest is what counts.
std::string recovery_of(const Line& line, Contender contender) {
  const auto& samples = line.samples.at(contender);
  if (!std::ranges::all_of(samples,
                           [](const Measurement& one) { return one.recovered_ms.has_value(); })) {
    return "not within the run";
  }
  const auto found =
      line.spread(contender, [](const Measurement& one) { return one.recovered_ms; });
  return found ? spread_text(*found) : "–";
}

std::string repeated_of(const Line& line, Contender contender) {
  const auto found = line.spread(contender, [](const Measurement& one) {
    return std::optional(static_cast<double>(one.verdict.handled.duplicates));
  });
  return found ? grouped(found->high) : "–";
}

std::string verdict_of(const Line& line, Contender contender) {
  for (const Measurement& one : line.samples.at(contender)) {
    if (!one.verdict.exact()) return one.verdict.to_string();
  }
  return "exact";
}

void print_row(std::ostream& out, const Line& line, Contender contender) {
  out << "| " << line.scenario << " | " << line.name << " | " << to_string(contender) << " | ";
  if (!line.exact(contender)) {
    out << "INVALID | INVALID | INVALID | INVALID | INVALID | " << verdict_of(line, contender)
        << " |\n";
    return;
  }
  const auto before =
      line.spread(contender, [](const Measurement& one) { return one.rate_before; });
  const auto share = line.spread(contender, share_of);
  out << (before ? spread_text(*before) : "–") << " | " << spread_text(line.rates(contender))
      << " | " << (share ? times(*share) : "–") << " | " << recovery_of(line, contender) << " | "
      << repeated_of(line, contender) << " | exact |\n";
}

}  // namespace

bool is_under_pressure(const Line& line) {
  return line.scenario == kPressure || line.scenario == kHeldTransaction;
}

void print_pressure(std::ostream& out, const std::vector<Line>& lines) {
  if (std::ranges::none_of(lines, is_under_pressure)) return;
  out << "| scenario | pressure | who | per second before (low – high) | under it | / before | ms "
         "until it is over | most repeated | exactness |\n"
      << "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Line& line : lines) {
    if (!is_under_pressure(line)) continue;
    for (const auto& [contender, samples] : line.samples) print_row(out, line, contender);
  }
}

}  // namespace penstock::bench

// See table.hpp.
#include "report/table.hpp"

#include <algorithm>
#include <functional>
#include <ostream>

#include "report/pressure_table.hpp"
#include "report/text.hpp"

namespace penstock::bench {
namespace {

constexpr char kAbsent[] = "–";

using Value = std::function<std::optional<double>(const Measurement&)>;

/// The median of a value, as text.
std::string cell(const Line& line, Contender contender, int digits, const Value& value) {
  const auto found = line.spread(contender, value);
  return found ? fixed(found->median, digits) : kAbsent;
}

Value per_unit(std::optional<double> ServerCost::* value) {
  return [value](const Measurement& one) -> std::optional<double> {
    if (!(one.cost.*value) || one.units == 0) return {};
    return *(one.cost.*value) / one.units;
  };
}

Value updates_per_unit(std::optional<TupleCounters> ServerCost::* table) {
  return [table](const Measurement& one) -> std::optional<double> {
    if (!(one.cost.*table) || one.units == 0) return {};
    return (one.cost.*table)->updated / one.units;
  };
}

Value heap_only_percent(std::optional<TupleCounters> ServerCost::* table) {
  return [table](const Measurement& one) -> std::optional<double> {
    if (!(one.cost.*table) || (one.cost.*table)->updated == 0) return {};
    return 100 * (one.cost.*table)->heap_only / (one.cost.*table)->updated;
  };
}

Value latency(double Latency::* value) {
  return [value](const Measurement& one) {
    return one.latency ? std::optional(*one.latency.*value) : std::nullopt;
  };
}

std::string tuples(const Line& line, Contender contender,
                   std::optional<TupleCounters> ServerCost::* table) {
  return cell(line, contender, 2, updates_per_unit(table)) + " / " +
         cell(line, contender, 0, heap_only_percent(table));
}

std::string verdict_of(const Line& line, Contender contender) {
  for (const Measurement& one : line.samples.at(contender)) {
    if (!one.verdict.exact()) return one.verdict.to_string();
  }
  return "exact";
}

void print_invalid(std::ostream& out, const Line& line, Contender contender) {
  out << "INVALID";
  for (int i = 0; i < 9; ++i) out << " | INVALID";
  out << " | " << verdict_of(line, contender) << " |\n";
}

void print_numbers(std::ostream& out, const Line& line, Contender contender) {
  const Contender reference = line.reference();
  const Spread ratio = line.ratios(contender, reference);
  const bool has_ratio = contender != reference && line.has(reference) && line.exact(reference);
  out << spread_text(line.rates(contender)) << " | " << (has_ratio ? times(ratio) : kAbsent)
      << " | " << cell(line, contender, 1, latency(&Latency::p50_ms)) << " / "
      << cell(line, contender, 1, latency(&Latency::p95_ms)) << " / "
      << cell(line, contender, 1, latency(&Latency::p99_ms)) << " | "
      << cell(line, contender, 0, [](const Measurement& one) { return one.backlog; }) << " | "
      << cell(line, contender, 0, per_unit(&ServerCost::wal_bytes)) << " ("
      << cell(line, contender, 0, per_unit(&ServerCost::image_bytes)) << ") | "
      << tuples(line, contender, &ServerCost::deliveries) << " | "
      << tuples(line, contender, &ServerCost::lanes) << " | "
      << cell(line, contender, 0, [](const Measurement& one) { return one.cost.dead_tuples; })
      << " | " << cell(line, contender, 3, per_unit(&ServerCost::statements)) << " | "
      << cell(line, contender, 3, per_unit(&ServerCost::commits)) << " | exact |\n";
}

}  // namespace

void print_lines(std::ostream& out, const std::vector<Line>& lines) {
  if (std::ranges::all_of(lines, is_under_pressure)) return;
  out << "| scenario | configuration | window s | who | per second (low – high) | / baseline, or "
         "base | p50 "
         "/ p95 / "
         "p99 "
         "ms | greatest backlog | WAL B each (images) | updates of deliveries each / heap-only % | "
         "of lanes | dead tuples after | statements each | commits each | exactness |\n"
      << "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | "
         "--- |\n";
  for (const Line& line : lines) {
    if (is_under_pressure(line)) continue;
    for (const auto& [contender, samples] : line.samples) {
      out << "| " << line.scenario << " | " << line.name << " | "
          << fixed(static_cast<double>(line.window.count()) / 1e3, 1) << " | "
          << to_string(contender) << " | ";
      if (line.exact(contender)) {
        print_numbers(out, line, contender);
      } else {
        print_invalid(out, line, contender);
      }
    }
  }
}

void print_targets(std::ostream& out, const std::vector<TargetRow>& rows) {
  out << "| row | target | measured | |\n| --- | --- | --- | --- |\n";
  for (const TargetRow& row : rows) {
    out << "| " << row.row << " | " << row.target << " | " << row.measured << " | "
        << (!row.met   ? kAbsent
            : *row.met ? "met"
                       : "missed")
        << " |\n";
  }
}

}  // namespace penstock::bench

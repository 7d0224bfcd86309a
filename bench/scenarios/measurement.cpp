// See measurement.hpp.
#include "scenarios/measurement.hpp"

#include <algorithm>
#include <exception>
#include <ostream>

namespace penstock::bench {

std::string_view to_string(Contender contender) noexcept {
  switch (contender) {
    case Contender::penstock: return "penstock";
    case Contender::baseline: return "baseline";
    case Contender::floor: return "floor";
    case Contender::base: return "base";
    case Contender::candidate: return "candidate";
    case Contender::pgq: return "pgq";
    case Contender::graphile: break;
  }
  return "graphile";
}

Layout layout_of(Contender contender) noexcept {
  switch (contender) {
    case Contender::baseline: return Layout::baseline;
    case Contender::pgq: return Layout::pgq;
    case Contender::graphile: return Layout::graphile;
    case Contender::penstock:
    case Contender::floor:
    case Contender::base:
    case Contender::candidate: break;
  }
  return Layout::penstock;
}

Latency latency_of(std::vector<double> milliseconds) {
  return {.p50_ms = percentile(milliseconds, 0.50),
          .p95_ms = percentile(milliseconds, 0.95),
          .p99_ms = percentile(milliseconds, 0.99)};
}

bool Line::has(Contender contender) const {
  const auto found = samples.find(contender);
  return found != samples.end() && !found->second.empty();
}

Contender Line::reference() const {
  return has(Contender::base) ? Contender::base : Contender::baseline;
}

bool Line::exact(Contender contender) const {
  return !has(contender) ||
         std::ranges::all_of(samples.at(contender), [](const Measurement& measurement) {
           return measurement.verdict.exact();
         });
}

bool Line::exact() const {
  return std::ranges::all_of(samples, [this](const auto& one) { return exact(one.first); });
}

std::optional<Spread> Line::spread(
    Contender contender,
    const std::function<std::optional<double>(const Measurement&)>& value) const {
  std::vector<double> values;
  if (has(contender)) {
    for (const Measurement& measurement : samples.at(contender)) {
      if (const auto found = value(measurement)) values.push_back(*found);
    }
  }
  if (values.empty()) return {};
  return spread_of(std::move(values));
}

Spread Line::rates(Contender contender) const {
  return spread(contender, [](const Measurement& one) { return std::optional(one.per_second); })
      .value_or(Spread{});
}

Spread Line::ratios(Contender one, Contender other) const {
  std::vector<double> values;
  if (!has(one) || !has(other)) return {};
  const auto& ours = samples.at(one);
  const auto& theirs = samples.at(other);
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    if (theirs[i].per_second > 0) values.push_back(ours[i].per_second / theirs[i].per_second);
  }
  return spread_of(std::move(values));
}

namespace {

/// A run that could not be brought to its end is one more that is not exact; the others go on.
Measurement take(const std::function<Measurement(Contender)>& sample, Contender contender) {
  try {
    return sample(contender);
  } catch (const std::exception& error) {
    std::string what = error.what();
    std::ranges::replace(what, '\n', ' ');
    std::ranges::replace(what, '|', '/');
    Measurement failed;
    failed.verdict.failure = "failed: " + what;
    return failed;
  }
}

}  // namespace

Line measure(const Settings& settings, Line line, const std::vector<Contender>& contenders,
             const std::function<Measurement(Contender)>& sample) {
  line.window = settings.window;
  for (std::size_t i = 0; i < settings.samples; ++i) {
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      // Each is first in its turn, so that none always follows the same.
      const Contender contender = contenders[(i + turn) % contenders.size()];
      const Measurement& taken = line.samples[contender].emplace_back(take(sample, contender));
      if (settings.progress == nullptr) continue;
      *settings.progress << line.scenario << ", " << line.name << ", sample " << i + 1 << ", "
                         << to_string(contender) << ": ";
      if (taken.verdict.exact()) {
        *settings.progress << static_cast<std::int64_t>(taken.per_second) << "/s" << std::endl;
      } else {
        *settings.progress << "INVALID: " << taken.verdict.to_string() << std::endl;
      }
    }
  }
  return line;
}

RunPlan plan_of(const Settings& settings, Contender contender) {
  const auto program = settings.programs.find(contender);
  return {.layout = layout_of(contender),
          .program = program == settings.programs.end() ? "" : program->second,
          .url = settings.url,
          .window = settings.window};
}

std::vector<Contender> chosen(const Settings& settings, std::vector<Contender> among) {
  std::vector<Contender> both;
  if (std::ranges::count(among, Contender::penstock) > 0) {
    among.insert(among.end(), {Contender::base, Contender::candidate});
  }
  for (const Contender contender : among) {
    const bool is_chosen = std::ranges::count(settings.contenders, contender) > 0;
    if (is_chosen && is_built_in(layout_of(contender))) both.push_back(contender);
  }
  return both;
}

}  // namespace penstock::bench

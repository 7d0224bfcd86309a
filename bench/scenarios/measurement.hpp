// What a scenario measures, and how samples of the contenders take turns.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/run.hpp"
#include "harness/spread.hpp"

namespace penstock::bench {

enum class Contender {
  penstock,
  baseline,
  floor,
  pgq,
  graphile,
  base,       ///< penstock as another build of this program has it: what is compared with …
  candidate,  ///< … and what is compared.
};
/// Who takes part in what penstock is measured in beside others.
inline constexpr std::array kPeers{Contender::pgq, Contender::graphile};

[[nodiscard]] std::string_view to_string(Contender contender) noexcept;
[[nodiscard]] Layout layout_of(Contender contender) noexcept;

struct Latency {
  double p50_ms = 0;
  double p95_ms = 0;
  double p99_ms = 0;
};
[[nodiscard]] Latency latency_of(std::vector<double> milliseconds);

/// One run, in numbers.
struct Measurement {
  double per_second = 0;
  double units = 0;  ///< Events or deliveries that the cost is shared by.
  std::optional<Latency> latency{};
  std::optional<double> offered_per_second{};    ///< Where both happen at once …
  std::optional<double> published_per_second{};  ///< … and what became of it.
  std::optional<double> backlog{};               ///< The greatest.
  std::optional<double> rate_before{};           ///< Under pressure: without it …
  std::optional<double> recovered_ms{};          ///< … and how long until it is back.
  ServerCost cost{};
  Verdict verdict{};
};

/// One row of a table: the samples of each contender, `samples[a][i]` beside `samples[b][i]`.
struct Line {
  std::string scenario{};
  std::string name{};
  std::size_t batch = 0;
  std::chrono::milliseconds window{};
  std::map<Contender, std::vector<Measurement>> samples{};

  [[nodiscard]] bool exact(Contender contender) const;
  [[nodiscard]] bool exact() const;
  [[nodiscard]] bool has(Contender contender) const;
  /// Whom the others are compared with: `base` where it takes part, else `baseline`.
  [[nodiscard]] Contender reference() const;
  [[nodiscard]] Spread rates(Contender contender) const;
  /// Of pairs, not of the medians: what disturbs one disturbs its neighbour too.
  [[nodiscard]] Spread ratios(Contender one, Contender other) const;
  /// Of what `value` finds in each sample; samples where it finds nothing are left out.
  [[nodiscard]] std::optional<Spread> spread(
      Contender contender,
      const std::function<std::optional<double>(const Measurement&)>& value) const;
};

struct Settings {
  std::string url{};
  std::size_t samples = 3;
  std::chrono::milliseconds window{5'000};
  std::vector<Contender> contenders{};
  /// The programs of `base` and `candidate`.
  std::map<Contender, std::filesystem::path> programs{};
  /// For the shell: kills the server and starts it again. Empty: it cannot be restarted.
  std::string restart_command{};
  std::ostream* progress = nullptr;
};

/// Takes the samples: each contender in turn, and then each again. Who does not take part in this
/// line is not among `contenders`.
[[nodiscard]] Line measure(const Settings& settings, Line line,
                           const std::vector<Contender>& contenders,
                           const std::function<Measurement(Contender)>& sample);

/// What all runs of a contender share.
[[nodiscard]] RunPlan plan_of(const Settings& settings, Contender contender);

/// Those of the settings that are in `among`, or are another build, which can do whatever penstock
/// can.
[[nodiscard]] std::vector<Contender> chosen(const Settings& settings, std::vector<Contender> among);

}  // namespace penstock::bench

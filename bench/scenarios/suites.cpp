// See suites.hpp.
#include "scenarios/suites.hpp"

#include <algorithm>
#include <array>

#include "scenarios/pressure.hpp"
#include "scenarios/scenarios.hpp"

namespace penstock::bench {
namespace {

using std::chrono::milliseconds;

// More than a window's worth, and little more: publishing it takes time as well.
constexpr std::uint32_t kQuickDefaults = 60'000;
constexpr std::uint32_t kQuickTuned = 200'000;
constexpr std::uint32_t kQuickHot = 40'000;
constexpr std::uint32_t kQuickHeld = 800'000;
// Twelve configurations of two contenders: at five seconds they alone would take six minutes.
constexpr milliseconds kQuickPublishWindow{1'500};
constexpr std::chrono::seconds kQuickHold{20};
constexpr std::uint32_t kFullPreload = 200'000;
constexpr std::size_t kPressed = 4;  // Processes; one of them is killed.
constexpr std::chrono::seconds kFullHold{60};
constexpr std::array<std::size_t, 3> kProcesses{1, 4, 8};
constexpr std::array<double, 3> kRates{1'000, 5'000, 10'000};

Settings once(Settings settings) {
  settings.samples = 1;
  return settings;
}

Settings only(Settings settings, Contender contender) {
  settings.contenders = chosen(settings, {contender});
  return settings;
}

Settings without_peers(Settings settings) {
  std::erase_if(settings.contenders,
                [](Contender contender) { return is_peer(layout_of(contender)); });
  return settings;
}

}  // namespace

std::vector<Line> quick_suite(const Settings& settings) {
  std::vector<Line> lines;
  const DispatchConfig& defaults = dispatch_config("defaults");
  const DispatchConfig& tuned = dispatch_config("tuned");
  Settings no_floor = settings;
  no_floor.contenders = chosen(settings, {Contender::penstock, Contender::baseline});
  lines.push_back(dispatch_line(no_floor, {.config = defaults, .preloaded = kQuickDefaults}));
  lines.push_back(dispatch_line(settings, {.config = tuned, .preloaded = kQuickTuned}));
  lines.push_back(
      dispatch_line(settings, {.config = tuned, .processes = 8, .preloaded = kQuickTuned}));

  Settings short_windows = no_floor;
  short_windows.window = std::min(settings.window, kQuickPublishWindow);
  for (const PublishConfig& config : kPublishConfigs) {
    lines.push_back(publish_line(short_windows, config));
  }

  const Settings ours = only(settings, Contender::penstock);
  lines.push_back(mixed_line(ours, {.config = defaults}));
  lines.push_back(mixed_line(ours, {.config = tuned}));
  lines.push_back(greatest_rate_line(once(short_windows), {.config = tuned}));
  lines.push_back(hot_key_line(settings, {.config = tuned, .preloaded = kQuickHot}));
  lines.push_back(held_transaction_line(
      once(ours), {.config = tuned, .preloaded = kQuickHeld, .held = kQuickHold}));
  return lines;
}

std::vector<Line> full_suite(const Settings& settings) {
  std::vector<Line> lines;
  // The peers run in a configuration of their own: beside one of penstock's is often enough.
  const Settings no_peers = without_peers(settings);
  for (const std::size_t processes : kProcesses) {
    for (const DispatchConfig& config : kDispatchConfigs) {
      lines.push_back(
          dispatch_line(config.name == "tuned" ? settings : no_peers,
                        {.config = config, .processes = processes, .preloaded = kFullPreload}));
    }
  }
  for (const PublishConfig& config : kPublishConfigs) {
    lines.push_back(publish_line(settings, config));
  }
  for (const char* const name : {"defaults", "tuned"}) {
    for (const double rate : kRates) {
      lines.push_back(mixed_line(settings, {.config = dispatch_config(name), .rate = rate}));
    }
  }
  const DispatchConfig& tuned = dispatch_config("tuned");
  lines.push_back(greatest_rate_line(settings, {.config = tuned}));
  lines.push_back(hot_key_line(settings, {.config = tuned, .preloaded = kFullPreload}));
  lines.push_back(held_transaction_line(settings, {.config = tuned, .held = kFullHold}));
  for (const Pressure pressure : kPressures) {
    if (pressure == Pressure::server_restart && settings.restart_command.empty()) continue;
    lines.push_back(
        pressure_line(settings, {.pressure = pressure, .config = tuned, .processes = kPressed}));
  }
  lines.push_back(overload_line(settings, {.config = tuned}));
  return lines;
}

}  // namespace penstock::bench

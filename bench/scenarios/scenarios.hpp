// The scenarios of the first seed, and their configurations. Each measures one line of a table.
//
// Payloads have 256 bytes. Nothing is purged while a scenario runs.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "scenarios/measurement.hpp"

namespace penstock::bench {

struct DispatchConfig {
  std::string_view name;
  std::size_t concurrency;
  std::size_t batch;
  std::size_t pool_size;
  std::int64_t poll_ms;
};

/// From what a user gets who sets nothing, to what the seed was fastest with.
inline constexpr std::array<DispatchConfig, 6> kDispatchConfigs{{
    {"defaults", 10, 10, 10, 1'000},
    {"10/50", 10, 50, 10, 1'000},
    {"50/50", 50, 50, 20, 1'000},
    {"50/200", 50, 200, 20, 1'000},
    {"tuned", 200, 200, 40, 50},
    {"tuned+", 400, 400, 64, 50},
}};
/// Throws: std::runtime_error.
[[nodiscard]] const DispatchConfig& dispatch_config(std::string_view name);

struct DispatchLine {
  DispatchConfig config;
  std::size_t processes = 1;
  std::uint32_t preloaded = 200'000;
  Keys keys = Keys::none;
};
/// The rate at which what was published before is handled, by a handler that does nothing.
[[nodiscard]] Line dispatch_line(const Settings& settings, const DispatchLine& what);

struct PublishConfig {
  std::string_view name;
  std::size_t processes;
  std::size_t threads;  ///< Of each process.
  std::size_t batch;
  std::size_t pool_size;
};

inline constexpr std::array<PublishConfig, 12> kPublishConfigs{{
    {"P=1 batch=1 pool=default", 1, 1, 1, 10},
    {"P=1 batch=100 pool=default", 1, 1, 100, 10},
    {"P=8 batch=1 pool=default", 1, 8, 1, 10},
    {"P=8 batch=100 pool=default", 1, 8, 100, 10},
    {"P=32 batch=1 pool=default", 1, 32, 1, 10},
    {"P=32 batch=100 pool=default", 1, 32, 100, 10},
    {"P=8 batch=1 pool=10", 1, 8, 1, 10},
    {"P=8 batch=100 pool=10", 1, 8, 100, 10},
    {"P=32 batch=1 pool=34", 1, 32, 1, 34},
    {"P=32 batch=100 pool=34", 1, 32, 100, 34},
    {"4 processes x 8 batch=1", 4, 8, 1, 10},
    {"4 processes x 8 batch=100", 4, 8, 100, 10},
}};

/// The rate of events that publish has committed; nobody handles them.
[[nodiscard]] Line publish_line(const Settings& settings, const PublishConfig& config);

struct MixedLine {
  DispatchConfig config;
  std::size_t processes = 1;
  double rate = 1'000;
  /// Above this rate events come in batches, so that publishing one by one is not what is measured.
  double calls_per_second = 1'000;
  /// How long after the window what was published may still be handled.
  std::chrono::milliseconds drain{15'000};
};
/// Publishers and dispatchers together at an offered rate: how long from the commit of an event to
/// its handler, and the greatest backlog. 200 keys for each publishing thread.
[[nodiscard]] Line mixed_line(const Settings& settings, const MixedLine& what);
/// The greatest offered rate that is published in full while less than a second's worth of it
/// waits.
[[nodiscard]] Line greatest_rate_line(const Settings& settings, const MixedLine& what);

/// As dispatch, but every delivery has the same key, so that they run one after the other.
[[nodiscard]] Line hot_key_line(const Settings& settings, const DispatchLine& what);

}  // namespace penstock::bench

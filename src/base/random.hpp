// Randomness enters as a seeded generator; only identifiers take the system's own bytes.
#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace penstock::base {

/// Fills `out` with the system's random bytes. Throws: unavailable.
void system_random(std::span<std::uint8_t> out);

/// Jitter and the like: reproducible from its seed. One thread at a time.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// Seeded by the system.
  Random();

  /// In [0, 1).
  [[nodiscard]] double fraction() { return std::generate_canonical<double, 53>(engine_); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace penstock::base

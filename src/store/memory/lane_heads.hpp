// Which lanes a claim has to look at, and what it looks for there, side by side: lanes that are
// empty cost it nothing, and the queues of the others are touched only where something is taken.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "penstock/bus_store.hpp"
#include "store/memory/waiting_queue.hpp"

namespace penstock::memory {

/// Numbers of lanes.
class LaneSet {
 public:
  void insert(std::size_t lane) { words_[lane / 64] |= bit_of(lane); }
  void erase(std::size_t lane) { words_[lane / 64] &= ~bit_of(lane); }

  /// The first of the set that is not before `lane`; kLanes where there is none.
  [[nodiscard]] std::size_t from(std::size_t lane) const {
    for (std::size_t i = lane / 64; i < words_.size(); ++i) {
      const std::uint64_t word =
          i == lane / 64 ? words_[i] >> (lane % 64) << (lane % 64) : words_[i];
      if (word != 0) return i * 64 + static_cast<std::size_t>(std::countr_zero(word));
    }
    return kLanes;
  }

 private:
  static constexpr std::uint64_t bit_of(std::size_t lane) {
    return std::uint64_t{1} << (lane % 64);
  }

  std::array<std::uint64_t, kLanes / 64> words_{};
};

/// The oldest of one handler that waits in each lane.
class LaneHeads {
 public:
  /// To be called whenever the front of `queue`, which is that of `lane`, may have changed.
  void follow(std::size_t lane, const WaitingQueue& queue) {
    if (queue.empty()) {
      lanes_.erase(lane);
    } else {
      lanes_.insert(lane);
      heads_[lane] = queue.front();
    }
  }

  /// Those in which something waits.
  [[nodiscard]] const LaneSet& lanes() const noexcept { return lanes_; }
  /// Of a lane in which something waits.
  [[nodiscard]] const Waiting& of(std::size_t lane) const { return heads_[lane]; }

 private:
  LaneSet lanes_;
  std::array<Waiting, kLanes> heads_{};
};

}  // namespace penstock::memory

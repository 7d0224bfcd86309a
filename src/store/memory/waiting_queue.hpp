// What waits for one handler in one lane, the oldest first.
//
// What was just published comes in order and goes to the end of a deque; what comes back (retries,
// releases, the next of a key) goes into a tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>

#include "penstock/clock.hpp"

namespace penstock::memory {

struct Delivery;

/// A waiting delivery that no other of its key precedes.
struct Waiting {
  Timestamp available_at;
  std::int64_t id = 0;
  Delivery* delivery = nullptr;

  friend bool operator<(const Waiting& a, const Waiting& b) noexcept {
    return a.available_at != b.available_at ? a.available_at < b.available_at : a.id < b.id;
  }
};

class WaitingQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return fresh_.empty() && returned_.empty(); }

  /// The oldest; not of an empty queue.
  [[nodiscard]] const Waiting& front() const {
    if (returned_.empty()) return fresh_.front();
    if (fresh_.empty()) return *returned_.begin();
    return std::min(fresh_.front(), *returned_.begin());
  }

  void insert(const Waiting& waiting) {
    if (fresh_.empty() || fresh_.back() < waiting) {
      fresh_.push_back(waiting);
    } else {
      returned_.insert(waiting);
    }
  }

  void erase(const Waiting& waiting) {
    if (!fresh_.empty() && fresh_.front().delivery == waiting.delivery) {
      fresh_.pop_front();
    } else if (returned_.erase(waiting) == 0) {
      fresh_.erase(std::ranges::lower_bound(fresh_, waiting, std::less<>{}));
    }
  }

 private:
  std::deque<Waiting> fresh_;
  std::set<Waiting> returned_;
};

}  // namespace penstock::memory

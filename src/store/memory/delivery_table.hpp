// The deliveries by id. Ids grow by one, so pages of slots hold them side by side: finding one is
// an index, and nothing is allocated for each.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>

#include "store/memory/records.hpp"

namespace penstock::memory {

class DeliveryTable {
 public:
  /// A new delivery with the next id, which is never used again.
  Delivery& add() {
    const std::int64_t id = ++last_id_;
    std::unique_ptr<Page>& page = pages_[id / kPageSize];
    if (!page) page = std::make_unique<Page>();
    ++page->count;
    Delivery& delivery = page->slots[slot_of(id)].emplace();
    delivery.id = id;
    return delivery;
  }

  [[nodiscard]] Delivery* find(std::int64_t id) {
    const auto page = pages_.find(id / kPageSize);
    if (id <= 0 || page == pages_.end()) return nullptr;
    std::optional<Delivery>& slot = page->second->slots[slot_of(id)];
    return slot ? &*slot : nullptr;
  }

  /// The delivery with the smallest id beyond `id`; null at the end.
  [[nodiscard]] Delivery* after(std::int64_t id) {
    const std::int64_t first = id < 0 ? 0 : id + 1;
    for (auto page = pages_.lower_bound(first / kPageSize); page != pages_.end(); ++page) {
      const bool is_first = page->first == first / kPageSize;
      for (std::size_t i = is_first ? slot_of(first) : 0; i < page->second->slots.size(); ++i) {
        std::optional<Delivery>& slot = page->second->slots[i];
        if (slot) return &*slot;
      }
    }
    return nullptr;
  }

  void erase(std::int64_t id) {
    const auto page = pages_.find(id / kPageSize);
    page->second->slots[slot_of(id)].reset();
    if (--page->second->count == 0) pages_.erase(page);
  }

 private:
  static constexpr std::int64_t kPageSize = 256;
  struct Page {
    std::array<std::optional<Delivery>, kPageSize> slots;
    std::size_t count = 0;
  };

  [[nodiscard]] static std::size_t slot_of(std::int64_t id) {
    return static_cast<std::size_t>(id % kPageSize);
  }

  std::map<std::int64_t, std::unique_ptr<Page>> pages_;
  std::int64_t last_id_ = 0;
};

}  // namespace penstock::memory

// What the memory store keeps: the rows of the other stores as structs that point at each other.
// All of it is guarded by the mutex of the store.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "penstock/bus_store.hpp"
#include "store/memory/lane_heads.hpp"
#include "store/memory/waiting_queue.hpp"

namespace penstock::memory {

struct Delivery;

/// A handler's name, once and for ever: deliveries outlive the subscription.
struct HandlerRecord {
  std::string name;
  std::size_t index = 0;  ///< Of its queue in every lane.
  std::optional<Subscription> subscription;
  LaneHeads ready;     ///< Follows the queues of the lanes.
  LaneHeads suspects;  ///< The same.
};

struct EventRecord {
  std::shared_ptr<const Event> event;
  LaneId lane;
  std::int64_t ordinal = 0;  ///< Commit order.
  Timestamp created_at;
  std::vector<const HandlerRecord*> handlers;  ///< That ever had a delivery.
};

/// The deliveries of one (handler, key) that wait, in order.
struct KeyQueue {
  std::map<std::int64_t, Delivery*> waiting;  ///< By sequence; without those in flight.
  std::size_t in_flight = 0;
  Delivery* exposed = nullptr;  ///< The one that a claim may see: the first, if none is in flight.
};

struct KeyRecord {
  std::int64_t sequence = 0;  ///< Of the last event of this key.
  Timestamp used_at;
  std::size_t deliveries = 0;                                 ///< Pending, in flight or dead.
  std::unordered_map<const HandlerRecord*, KeyQueue> queues;  ///< Nodes stay where they are.
};

struct Delivery {
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  std::int64_t id = 0;
  EventRecord* event = nullptr;
  std::shared_ptr<const Event> content;
  HandlerRecord* handler = nullptr;
  KeyRecord* key = nullptr;       ///< Null without an ordering key.
  KeyQueue* key_queue = nullptr;  ///< Null without an ordering key.
  std::int64_t sequence = 0;      ///< Meaningless without an ordering key.
  std::size_t place = kNowhere;   ///< In the in_flight of its lane.
  std::int64_t claims = 0;        ///< How many claims of it have ended.
  DeliveryStatus status = DeliveryStatus::pending;
  bool suspect = false;
  int attempts = 0;
  Timestamp available_at;
  LaneId lane;
  Timestamp published_at;
  Timestamp created_at;
  Timestamp updated_at;
  std::string last_error;
};

/// What waits for one handler in one lane, the oldest first. Due or not.
struct HandlerQueue {
  WaitingQueue ready;
  WaitingQueue suspects;

  [[nodiscard]] WaitingQueue& of(const Delivery& delivery) {
    return delivery.suspect ? suspects : ready;
  }
};

struct Lane {
  Epoch epoch;
  std::optional<std::string> owner;
  Timestamp expires_at;
  std::vector<Delivery*> in_flight;  ///< Each knows its place.
  std::vector<HandlerQueue> queues;  ///< By HandlerRecord::index.

  [[nodiscard]] bool is_held(Timestamp now) const { return owner && expires_at > now; }
  [[nodiscard]] bool is_owned_by(const WorkerId& worker) const { return owner == worker.value(); }
};

}  // namespace penstock::memory

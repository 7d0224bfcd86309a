// A dispatcher on the memory store, with hooks before and after each of its calls.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/bus.hpp"
#include "penstock/stores/memory.hpp"
#include "support/intercepted_bus_store.hpp"

namespace penstock::test {

class DispatcherFixture : public testing::Test {
 protected:
  static DispatcherOptions quiet(DispatcherOptions options = {}) {
    options.poll = std::chrono::hours{1};
    options.purge_every = Duration{0};
    return options;
  }
  void publish(int count, std::optional<std::string> key = {}) {
    const std::vector<Event> events(static_cast<std::size_t>(count),
                                    Event{.type = "t", .key = key});
    bus_.publish(events);
  }
  // Publishes one event of type `t` and claims it for a worker that never comes back.
  DeliveryId crash_one(std::string_view handler, std::string key, Duration lease) {
    bus_.publish({.type = "t", .key = std::move(key)});
    const HandlerRoom room{.handler = handler, .room = 1};
    const WorkerId crashed{"crashed/1"};
    const Claimed claimed = memory_.bus().claim(
        {.worker = crashed, .handlers = {&room, 1}, .limit = 1, .lease = lease});
    return DeliveryId{claimed.work.at(0).token.work_id};
  }
  std::vector<DeliveryInfo> listed(DeliveryStatus status) {
    return memory_.bus().list({.status = status, .limit = 10'000}).items;
  }

  MemoryStore memory_{{.retain_completed = true}};
  InterceptedBusStore store_{memory_.bus()};
  Bus bus_{store_};
};

}  // namespace penstock::test

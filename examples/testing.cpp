// Testing your own code: the memory store, a clock that you move, and run_until_idle. Nothing waits
// and nothing is left over.
#include <cstdlib>
#include <iostream>
#include <penstock/penstock.hpp>

namespace {

int failures = 0;

void expect(bool condition, const char* what) {
  std::cout << (condition ? "ok    " : "FAIL  ") << what << '\n';
  failures += condition ? 0 : 1;
}

}  // namespace

int main() {
  const auto clock = std::make_shared<penstock::ManualClock>();
  penstock::MemoryStore store({.clock = clock, .retain_completed = true});
  penstock::Bus bus{store};
  int attempts = 0;
  bus.subscribe("send-receipt", "order.paid",
                [&attempts](const penstock::Delivery& delivery) {
                  attempts = delivery.attempt();
                  if (attempts == 1) throw std::runtime_error("mail server away");
                },
                {.concurrency = 1});
  bus.publish({.type = "order.paid", .key = "order-42"});

  expect(store.published().size() == 1, "the event was published");
  expect(store.published().front().key == "order-42", "with its ordering key");

  auto dispatcher = bus.start();
  dispatcher.run_until_idle();
  expect(attempts == 1, "the first attempt failed and waits for its retry");

  clock->advance(std::chrono::minutes{1});
  dispatcher.run_until_idle();
  expect(attempts == 2, "a minute later it was tried again");

  const auto statistics = penstock::Admin{store.bus()}.statistics();
  expect(statistics.handlers.at("send-receipt").completed == 1, "and completed");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

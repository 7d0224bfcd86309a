// The program of the README: publish an event, have it handled, in a file of its own.
#include <iostream>
#include <penstock/penstock.hpp>

int main() {
  auto store = penstock::open_store("sqlite:orders.db");
  penstock::Bus bus{*store};

  bus.subscribe("send-receipt", "order.paid", [](const penstock::Delivery& delivery) {
    std::cout << "receipt for " << delivery.event().key.value_or("?") << '\n';
  });  // Returns: done. Throws: tried again later.

  bus.publish({.type = "order.paid", .key = "order-42", .payload = R"({"total": 12.5})"});

  auto dispatcher = bus.start();
  dispatcher.run_until_idle();  // A service waits for SIGTERM instead.
}

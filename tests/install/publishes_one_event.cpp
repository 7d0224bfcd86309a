// What a user's program does with the installed package: publish an event to a SQLite file, and
// have it handled.
#include <cstdlib>
#include <iostream>
#include <penstock/penstock.hpp>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: publishes_one_event FILE\n";
    return 2;
  }
  const auto store = penstock::open_store("sqlite:" + std::string(argv[1]));
  penstock::Bus bus{*store};
  std::string handled;
  bus.subscribe("send-receipt", "order.paid", [&handled](const penstock::Delivery& delivery) {
    handled = delivery.event().payload;
  });
  bus.publish({.type = "order.paid", .key = "order-42", .payload = "12.5"});

  auto dispatcher = bus.start();
  dispatcher.run_until_idle();
  dispatcher.stop();

  std::cout << "penstock " << penstock::kVersion << " handled " << handled << '\n';
  return handled == "12.5" ? EXIT_SUCCESS : EXIT_FAILURE;
}

// A program that wants the contract and the memory store, and links no database.
#include <array>
#include <iostream>
#include <penstock/stores/memory.hpp>

int main() {
  penstock::MemoryStore store;
  store.bus().setup(penstock::SetupMode::migrate);
  const std::array events{penstock::Event{.type = "order.paid", .payload = "12.5"}};
  store.bus().publish(events, nullptr);

  std::cout << "published " << store.published().size() << '\n';
  return store.published().size() == 1 ? 0 : 1;
}

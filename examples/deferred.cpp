// A handler that finishes later: it takes a Completion, hands it to whatever does the work (here a
// thread; in a service a callback of any asynchronous framework) and returns at once.
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <penstock/penstock.hpp>
#include <thread>
#include <utility>
#include <vector>

int main() {
  penstock::MemoryStore store;
  penstock::Bus bus{store};

  std::mutex mutex;
  std::vector<std::jthread> replies;
  std::vector<std::string> sent;
  bus.subscribe("call-webhook", "order.*",
                [&](const penstock::Delivery& delivery, penstock::Completion completion) {
                  const std::lock_guard lock(mutex);
                  // The delivery stays valid until the completion is finished.
                  replies.emplace_back([&, completion = std::move(completion)] {
                    {
                      const std::lock_guard inner(mutex);
                      sent.push_back(delivery.event().type);
                    }
                    completion.done();  // Or completion.fail("status 503"): tried again later.
                  });
                },
                {.timeout = std::chrono::seconds{10}});

  bus.publish({.type = "order.paid"});
  bus.publish({.type = "order.shipped"});
  auto dispatcher = bus.start();
  dispatcher.run_until_idle();
  dispatcher.stop();

  const std::lock_guard lock(mutex);
  std::cout << sent.size() << " webhooks called\n";
  return sent.size() == 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}

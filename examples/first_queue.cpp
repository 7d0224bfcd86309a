// The README's second program: enqueue a job, work it off.
#include <iostream>
#include <penstock/penstock.hpp>

int main() {
  auto store = penstock::open_store("sqlite:orders.db");
  penstock::Queue queue{*store};

  queue.work("mail", "receipt", [](const penstock::Job& job) {
    std::cout << "mail to " << job.payload() << ", attempt " << job.attempt() << '\n';
  });  // Returns: done. Throws: tried again later.

  queue.enqueue({.queue = "mail",
                 .kind = "receipt",
                 .payload = R"("ada@example.com")",
                 .priority = 1,
                 .unique_key = "receipt-42"});

  auto dispatcher = queue.start();
  dispatcher.run_until_idle();  // A service waits for SIGTERM instead.
}

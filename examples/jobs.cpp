// What a job can do besides being done: wait, be tried again, keep what it has reached, be given
// up.
#include <chrono>
#include <iostream>
#include <penstock/penstock.hpp>
#include <stdexcept>

using namespace std::chrono_literals;

int main() {
  auto store = penstock::open_store("sqlite:jobs.db");
  penstock::Queue queue{*store};
  const auto at_once = [](int, double) { return penstock::Duration{0}; };

  // Fails in the middle, and goes on there: what was saved is there for the next attempt.
  queue.work("reports", "export",
             [](const penstock::Job& job) {
               if (job.progress().empty()) {
                 static_cast<void>(job.save_progress(R"({"rows": 500})"));
                 throw std::runtime_error("the disk is full");
               }
               std::cout << "goes on after " << job.progress() << '\n';
             },
             {.deadline = 10s, .retry_delay = at_once});

  // Says itself how it ended.
  queue.work("reports", "send", [](const penstock::Job& job) {
    if (job.payload().empty()) return penstock::bury("there is nothing to send");
    return penstock::done();
  });
  queue.limit("reports", {.concurrency = 2, .rate = 100});

  const auto exported = queue.enqueue({.queue = "reports", .kind = "export"});
  const auto sent = queue.enqueue({.queue = "reports", .kind = "send"});
  const auto later = queue.enqueue(
      {.queue = "reports", .kind = "send", .run_at = penstock::SystemClock{}.now() + 1h});

  auto dispatcher = queue.start();
  dispatcher.run_until_idle();

  const auto dead = queue.show(sent.id);
  std::cout << "export is " << (queue.show(exported.id) ? "there" : "done") << ", send is "
            << penstock::to_string(dead->state) << ": " << dead->last_error << '\n';
  return queue.cancel(later.id) == penstock::Verdict::done ? 0 : 1;
}

// The queue's front door and its dispatcher, on the memory store.
#include "penstock/queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "penstock/error.hpp"
#include "penstock/stores/memory.hpp"

namespace penstock {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Duration at_once(int, double) { return Duration{0}; }

class QueueTest : public ::testing::Test {
 protected:
  JobId enqueue(NewJob job = {}) {
    if (job.queue.empty()) job.queue = "q";
    if (job.kind.empty()) job.kind = "k";
    return queue_.enqueue(std::move(job)).id;
  }
  void run(QueueDispatcherOptions options = {}) {
    options.poll = 1h;
    Dispatcher dispatcher = queue_.start(std::move(options));
    dispatcher.run_until_idle();
    dispatcher.stop();
  }
  std::optional<JobState> state(JobId id) {
    const auto info = queue_.show(id);
    return info ? std::optional{info->state} : std::nullopt;
  }

  MemoryStore store_{{.retain_completed = true}};
  Queue queue_{store_};
};

TEST_F(QueueTest, RunsJobsByKind) {
  std::mutex mutex;
  std::vector<std::string> ran;
  const auto note = [&](const Job& job) {
    const std::scoped_lock lock(mutex);
    ran.push_back(job.kind() + ":" + job.payload());
  };
  queue_.work("q", "a", note);
  queue_.work("q", "b", note);
  const JobId first = enqueue({.kind = "a", .payload = "1"});
  enqueue({.kind = "b", .payload = "2"});
  run();
  EXPECT_THAT(ran, ::testing::UnorderedElementsAre("a:1", "b:2"));
  EXPECT_EQ(state(first), JobState::completed);
}

TEST_F(QueueTest, ShowsTheHandlerItsJob) {
  std::promise<void> seen;
  queue_.work("q", "k", [&](const Job& job) {
    EXPECT_EQ(job.queue(), "q");
    EXPECT_EQ(job.key(), "order-42");
    EXPECT_EQ(job.unique_key(), "u");
    EXPECT_EQ(job.priority(), 1);
    EXPECT_EQ(job.attempt(), 1);
    EXPECT_EQ(job.max_attempts(), 3);
    EXPECT_EQ(job.headers().at("trace"), "x");
    EXPECT_EQ(job.stop_reason(), StopReason::none);
    seen.set_value();
  });
  enqueue({.priority = 1,
           .key = "order-42",
           .max_attempts = 3,
           .unique_key = "u",
           .headers = {{"trace", "x"}}});
  run();
  EXPECT_EQ(seen.get_future().wait_for(0s), std::future_status::ready);
}

TEST_F(QueueTest, TriesAgainWhatThrewAndKeepsItsProgressAndErrors) {
  int attempts = 0;
  queue_.work("q", "k",
              [&](const Job& job) {
                ++attempts;
                if (job.attempt() == 1) {
                  EXPECT_EQ(job.save_progress(R"({"page":7})"), Verdict::done);
                  throw std::runtime_error("no luck");
                }
                EXPECT_EQ(job.progress(), R"({"page":7})");
                ASSERT_THAT(job.errors(), SizeIs(1));
                EXPECT_EQ(job.errors()[0].error, "no luck");
              },
              {.retry_delay = at_once});
  const JobId id = enqueue();
  run();
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(state(id), JobState::completed);
}

TEST_F(QueueTest, BuriesWhatHasSpentTheAttemptsOfTheJob) {
  int attempts = 0;
  queue_.work("q", "k",
              [&](const Job&) {
                ++attempts;
                throw std::runtime_error("never");
              },
              {.retry_delay = at_once});
  const JobId id = enqueue({.max_attempts = 3});
  run();
  EXPECT_EQ(attempts, 3);
  EXPECT_EQ(state(id), JobState::dead);
}

TEST_F(QueueTest, DoesAsTheHandlerSays) {
  queue_.work("q", "bury", [](const Job&) { return bury("hopeless"); });
  queue_.work("q", "snooze", [](const Job&) { return snooze(1h); });
  queue_.work("q", "retry", [](const Job&) { return retry("later", 1h); });
  const JobId buried = enqueue({.kind = "bury"});
  const JobId snoozed = enqueue({.kind = "snooze"});
  const JobId retried = enqueue({.kind = "retry"});
  run();
  EXPECT_EQ(state(buried), JobState::dead);
  EXPECT_EQ(queue_.show(buried)->last_error, "hopeless");
  EXPECT_EQ(queue_.show(snoozed)->attempts, 0);
  EXPECT_EQ(queue_.show(retried)->attempts, 1);
}

TEST_F(QueueTest, PutsAKindBackThatItDoesNotKnowAndSaysSoOnce) {
  std::atomic<int> warnings = 0;
  queue_.work("q", "known", [](const Job&) {});
  const JobId unknown = enqueue({.kind = "unknown"});
  enqueue({.kind = "unknown"});
  const JobId known = enqueue({.kind = "known"});
  run({.log = [&](LogLevel, std::string_view event, std::span<const LogField>) {
    warnings += event == "kind unknown to this process" ? 1 : 0;
  }});
  EXPECT_EQ(state(known), JobState::completed);
  EXPECT_EQ(state(unknown), JobState::scheduled);
  EXPECT_EQ(queue_.show(unknown)->attempts, 0);
  EXPECT_EQ(warnings, 1);
}

TEST_F(QueueTest, AsksAJobToStopAtItsOwnDeadline) {
  queue_.work("q", "k",
              [](const Job& job) {
                std::promise<void> stopped;
                const std::stop_callback callback(job.stop_token(), [&] { stopped.set_value(); });
                stopped.get_future().wait();
                EXPECT_EQ(job.stop_reason(), StopReason::timeout);
                throw std::runtime_error("stopped");
              },
              {.deadline = 1h});
  const JobId id = enqueue({.max_attempts = 1, .deadline = 20ms});
  run();
  EXPECT_EQ(state(id), JobState::dead);
  EXPECT_THAT(queue_.show(id)->last_error, ::testing::HasSubstr("timed out"));
}

TEST_F(QueueTest, FinishesADeferredJobFromAnotherThread) {
  std::jthread other;
  queue_.work("q", "k", [&](const Job& job, Completion completion) {
    other = std::jthread([&job, completion = std::move(completion)] {
      EXPECT_EQ(job.kind(), "k");  // Valid until the Completion is finished.
      completion.done();
    });
  });
  const JobId id = enqueue();
  run();
  EXPECT_EQ(state(id), JobState::completed);
}

TEST_F(QueueTest, RunsNoMoreAtOnceThanTheLimitOfAQueue) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  queue_.work("q", "k", [&](const Job&) {
    const int now = ++running;
    int seen = most.load();
    while (now > seen && !most.compare_exchange_weak(seen, now)) continue;
    std::this_thread::yield();
    --running;
  });
  queue_.limit("q", {.concurrency = 2});
  for (int i = 0; i < 50; ++i) enqueue();
  run();
  EXPECT_LE(most, 2);
  EXPECT_THAT(store_.queue().list({.state = JobState::completed}).items, SizeIs(50));
}

TEST_F(QueueTest, BeginsNoMoreThanItsRateLetsIt) {
  queue_.work("q", "k", [](const Job&) {});
  queue_.limit("q", {.rate = 0.001, .burst = 3});
  for (int i = 0; i < 10; ++i) enqueue();
  Dispatcher dispatcher = queue_.start({.poll = 1ms});
  while (dispatcher.counters().completed < 3) std::this_thread::yield();
  dispatcher.stop();
  EXPECT_EQ(dispatcher.counters().completed, 3);
}

TEST_F(QueueTest, CancelsFromWithin) {
  queue_.work("q", "k", [&](const Job& job) { EXPECT_EQ(queue_.cancel(job.id()), Verdict::done); });
  const JobId id = enqueue();
  run();
  EXPECT_EQ(state(id), JobState::cancelled);
}

TEST_F(QueueTest, GivesBackWhatAShutdownInterruptsUncharged) {
  std::latch began{1};
  queue_.work("q", "k", [&](const Job& job) {
    began.count_down();
    std::promise<void> stopped;
    const std::stop_callback callback(job.stop_token(), [&] { stopped.set_value(); });
    stopped.get_future().wait();
    throw std::runtime_error("told to stop");
  });
  const JobId id = enqueue();
  Dispatcher dispatcher = queue_.start({.grace = 0s, .abort_wait = 10s});
  began.wait();
  dispatcher.stop();
  EXPECT_EQ(queue_.show(id)->attempts, 0);
  EXPECT_THAT(queue_.show(id)->last_error, IsEmpty());
}

TEST_F(QueueTest, TellsATestWhatWasEnqueued) {
  enqueue({.payload = "1"});
  ASSERT_THAT(store_.enqueued(), SizeIs(1));
  EXPECT_EQ(store_.enqueued()[0].payload, "1");
}

TEST_F(QueueTest, RefusesWhatCannotBe) {
  const auto field_of = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.field();
    }
    return std::string("nothing was refused");
  };
  const auto handler = [](const Job&) {};
  EXPECT_EQ(field_of([&] { static_cast<void>(queue_.start()); }), "handlers");
  EXPECT_EQ(field_of([&] { queue_.work("", "k", handler); }), "queue");
  EXPECT_EQ(field_of([&] { queue_.work("q", "", handler); }), "kind");
  EXPECT_EQ(field_of([&] { queue_.work("q", "k", handler, {.deadline = Duration{-1}}); }),
            "deadline");
  EXPECT_EQ(field_of([&] { queue_.work("q", "k", handler, {.retry_delay = nullptr}); }),
            "retry_delay");
  EXPECT_EQ(field_of([&] { queue_.limit("q", {.concurrency = 0}); }), "concurrency");
  EXPECT_EQ(field_of([&] { queue_.limit("q", {.rate = -1}); }), "rate");
  EXPECT_EQ(field_of([&] { queue_.set_shards("q", 0); }), "shards");
}

}  // namespace
}  // namespace penstock

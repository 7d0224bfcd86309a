// Many threads at once on one store: nothing twice, nothing lost, order kept.
//
// Losses are found by comparing the set of enqueued ids with the set that was handled, never by
// counting rows.
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "contract/queue/queue_contract.hpp"
#include "support/scale.hpp"

namespace penstock::contract {

using ::testing::IsEmpty;

namespace {

/// What the threads saw, each job as often as it was seen.
class Journal {
 public:
  void write(const std::vector<JobId>& ids) {
    const std::scoped_lock lock(mutex_);
    for (const JobId id : ids) ++seen_[id];
  }
  void write(JobId id) { write(std::vector{id}); }
  [[nodiscard]] std::size_t size() {
    const std::scoped_lock lock(mutex_);
    return seen_.size();
  }
  [[nodiscard]] std::map<JobId, int> seen() {
    const std::scoped_lock lock(mutex_);
    return seen_;
  }

 private:
  std::mutex mutex_;
  std::map<JobId, int> seen_;
};

void expect_each_once(Journal& journal, const std::set<JobId>& expected) {
  std::set<JobId> ids;
  for (const auto& [id, times] : journal.seen()) {
    EXPECT_EQ(times, 1) << "job " << id.value;
    ids.insert(id);
  }
  EXPECT_EQ(ids, expected);
}

std::string worker_of(int thread) { return "worker-" + std::to_string(thread); }

}  // namespace

// Known faults 53 and 171.
TEST_P(QueueConcurrencyContract, ClaimersAtOnceNeverGetTheSameJob) {
  queue().set_shards("q", 4);
  const int size = static_cast<int>(test::scaled(100'000));
  std::set<JobId> ids;
  for (int i = 0; i < 20; ++i) {
    for (const JobId id : enqueue_batch(size / 20)) ids.insert(id);
  }
  Journal journal;

  at_once(4, [&](int thread) {
    const JobWish wish{.worker = worker_of(thread), .limit = 20};
    while (journal.size() < ids.size()) {
      const std::vector<Work> work = take(wish);
      if (work.empty()) std::this_thread::yield();
      journal.write(jobs_of(work));
      for (const Verdict verdict : source(wish.worker).complete(tokens_of(work), nullptr)) {
        EXPECT_EQ(verdict, Verdict::done);
      }
    }
  });

  expect_each_once(journal, ids);
}

TEST_P(QueueConcurrencyContract, ALaneIsHandedOutInItsOrder) {
  const int each = static_cast<int>(test::scaled(20'000));
  std::atomic<int> producing = 2;
  std::mutex mutex;
  std::map<std::string, std::vector<int>> seen;
  std::atomic<int> total = 0;

  at_once(3, [&](int thread) {
    if (thread < 2) {
      for (int n = 0; n < each; ++n) {
        enqueue({.queue = "q", .kind = std::to_string(thread), .payload = std::to_string(n)});
      }
      --producing;
      return;
    }
    while (total < 2 * each) {
      for (const Work& work : take({.limit = 7})) {
        const std::scoped_lock lock(mutex);
        seen[work.job->job.kind].push_back(std::stoi(work.job->job.payload));
        ++total;
      }
    }
  });

  for (const auto& [producer, numbers] : seen) {
    EXPECT_TRUE(std::ranges::is_sorted(numbers)) << "producer " << producer;
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(each));
  }
}

// Known fault 5.
TEST_P(QueueConcurrencyContract, BulkProducersOfOneKeyKeepTheOrderOfEachBatch) {
  queue().set_shards("q", 4);
  const int batches = static_cast<int>(test::scaled(1'000));
  at_once(4, [&](int thread) {
    for (int n = 0; n < batches; ++n) {
      NewJob like = keyed_job("hot");
      like.kind = std::to_string(thread) + ":" + std::to_string(n);
      enqueue_batch(20, like);
    }
  });

  std::map<std::string, int> next;
  for (const Work& work : take_all({.limit = 100})) {
    EXPECT_EQ(std::stoi(work.job->job.payload), next[work.job->job.kind]++);
  }
  EXPECT_EQ(next.size(), static_cast<std::size_t>(4 * batches));
}

// N2: a job is cancelled or completed, never both and never neither.
TEST_P(QueueConcurrencyContract, ACancelAndAClaimNeverBothWin) {
  const std::vector<JobId> ids = enqueue_batch(static_cast<int>(test::scaled(20'000)));
  Journal journal;
  std::atomic<bool> over = false;

  at_once(3, [&](int thread) {
    if (thread == 0) {
      for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
        if (cancel(*id) == Verdict::done) journal.write(*id);
      }
      over = true;
      return;
    }
    const JobWish wish{.worker = worker_of(thread), .limit = 3};
    while (true) {
      const bool is_last = over;
      const std::vector<Work> work = take(wish);
      for (const Work& one : work) {
        if (complete(one.token) == Verdict::done) journal.write(one.job->id);
      }
      if (work.empty() && is_last) return;
    }
  });

  expect_each_once(journal, {ids.begin(), ids.end()});
  EXPECT_EQ(lane().waiting, 0);
  EXPECT_EQ(lane().running, 0);
}

TEST_P(QueueConcurrencyContract, TwoCancelsOfAJobHaveOneWinner) {
  const std::vector<JobId> ids = enqueue_batch(100);
  (void)take({.limit = 30});
  std::atomic<int> winners = 0;

  at_once(4, [&](int) {
    for (const Verdict verdict : queue().cancel(ids)) winners += verdict == Verdict::done;
  });

  EXPECT_EQ(winners, 100);
}

// Known fault 119.
TEST_P(QueueConcurrencyContract, MovesThatRaceClaimsLoseNothing) {
  queue().set_shards("a", 2);
  std::set<JobId> ids;
  for (const JobId id :
       enqueue_batch(static_cast<int>(test::scaled(10'000)), {.queue = "a", .kind = "k"})) {
    ids.insert(id);
  }
  Journal journal;
  std::atomic<bool> over = false;

  at_once(3, [&](int thread) {
    if (thread == 0) {
      for (const JobId id : ids) (void)move(id, {.queue = "b"});
      over = true;
      return;
    }
    const JobWish wish{.worker = worker_of(thread), .queues = {"a", "b"}, .limit = 3};
    while (true) {
      const bool is_last = over;
      const std::vector<JobId> handled = drain(wish);
      journal.write(handled);
      if (is_last && handled.empty()) return;
    }
  });
  maintain();
  journal.write(drain({.queues = {"a", "b"}}));

  expect_each_once(journal, ids);
}

// T12: who rescues and who completes.
TEST_P(QueueConcurrencyContract, ACompletionAndARescueNeverBothWin) {
  int completed = 0;
  int rescued = 0;
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::string worker = worker_of(round);
    const JobId id = enqueue(job());
    const Token token = take_one({.worker = worker}).token;
    maintain();
    for (int i = 0; i < 5; ++i) {
      move_stopwatch(5s);
      maintain();
    }
    move_stopwatch(5s);
    Verdict verdict = Verdict::lost;

    at_once(2, [&](int thread) {
      if (thread == 0) {
        verdict = complete(token);
      } else {
        maintain();
      }
    });

    const bool is_there = state_of(id).has_value();
    EXPECT_NE(is_there, verdict == Verdict::done) << "exactly one of them wins";
    completed += verdict == Verdict::done ? 1 : 0;
    rescued += is_there ? 1 : 0;
    drain({.worker = "undertaker-" + std::to_string(round)});
  }

  EXPECT_EQ(completed + rescued, kRounds);
}

TEST_P(QueueConcurrencyContract, TwoCompletionsOfATokenHaveOneWinner) {
  enqueue_batch(200);
  const std::vector<Token> tokens = tokens_of(take({.limit = 200}));
  std::atomic<int> winners = 0;

  at_once(4, [&](int) {
    for (const Verdict verdict : source("worker-a").complete(tokens, nullptr)) {
      winners += verdict == Verdict::done;
    }
  });

  EXPECT_EQ(winners, 200);
  EXPECT_EQ(lane().completed, 200);
}

// T14: a width that changes under load costs nothing but the order across the change.
TEST_P(QueueConcurrencyContract, ChangingTheWidthUnderLoadLosesNothing) {
  const int calls = static_cast<int>(test::scaled(10'000));
  Journal enqueued;
  Journal handled;
  std::atomic<int> producing = 2;

  at_once(4, [&](int thread) {
    if (thread < 2) {
      for (int n = 0; n < calls; ++n) {
        enqueued.write(enqueue(n % 2 == 0 ? job() : keyed_job("key-" + std::to_string(n % 7))));
      }
      --producing;
    } else if (thread == 2) {
      for (const int width : {8, 2, 64, 1, 5, 3}) queue().set_shards("q", width);
    } else {
      while (true) {
        const bool is_last = producing == 0;
        const std::vector<JobId> ids = drain({.worker = worker_of(thread), .limit = 50});
        handled.write(ids);
        if (is_last && ids.empty()) return;
      }
    }
  });

  std::set<JobId> ids;
  for (const auto& [id, times] : enqueued.seen()) ids.insert(id);
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(2 * calls));
  expect_each_once(handled, ids);
}

// N20 in small: everything at once, and each job ends in exactly one place.
TEST_P(QueueConcurrencyContract, EveryJobEndsInExactlyOnePlace) {
  queue().set_shards("q", 3);
  const int rounds = static_cast<int>(test::scaled(5'000));
  Journal enqueued;
  Journal ended;
  std::atomic<int> producing = 1;

  at_once(4, [&](int thread) {
    if (thread == 0) {
      for (int n = 0; n < rounds; ++n) {
        const std::vector<JobId> ids =
            enqueue_batch(4, n % 3 == 0 ? keyed_job("k" + std::to_string(n % 5)) : job());
        enqueued.write(ids);
        if (n % 4 == 0 && cancel(ids[1]) == Verdict::done) ended.write(ids[1]);
        if (n % 5 == 0) (void)move(ids[2], {.priority = 1 + n % 4});
      }
      --producing;
      return;
    }
    const JobWish wish{.worker = worker_of(thread), .limit = 5};
    int turn = 0;
    while (true) {
      const bool is_last = producing == 0;
      const std::vector<Work> work = take(wish);
      for (const Work& one : work) {
        switch (++turn % 6) {
          case 0: (void)retry(one.token, 0s); break;
          case 1: (void)release(one.token); break;
          case 2:
            if (bury(one.token) == Verdict::done) ended.write(one.job->id);
            break;
          default:
            if (complete(one.token) == Verdict::done) ended.write(one.job->id);
        }
      }
      if (work.empty() && is_last) return;
    }
  });
  while (maintain().promoted > 0) ended.write(drain());
  ended.write(drain());

  std::set<JobId> ids;
  for (const auto& [id, times] : enqueued.seen()) ids.insert(id);
  expect_each_once(ended, ids);
  EXPECT_THAT(list(JobState::running), IsEmpty());
  EXPECT_THAT(list(JobState::ready), IsEmpty());
}

TEST_P(QueueConcurrencyContract, ProducersOfManyQueuesDoNotBlockEachOther) {
  Journal enqueued;

  at_once(4, [&](int thread) {
    for (int n = 0; n < 10; ++n) {
      std::vector<NewJob> jobs;
      for (int i = 0; i < 12; ++i) {
        const int number = thread % 2 == 0 ? i : 11 - i;
        jobs.push_back(
            {.queue = "q-" + std::to_string(number % 4), .kind = "k", .priority = 1 + number % 3});
      }
      enqueued.write(jobs_of(queue().enqueue(jobs, nullptr)));
    }
  });

  EXPECT_EQ(enqueued.size(), 480U);
  EXPECT_EQ(drain({.queues = {"q-0", "q-1", "q-2", "q-3"}}).size(), 480U);
}

}  // namespace penstock::contract

// Many threads at once on one store: no double claims, no lost work, order kept.
//
// Losses are found by comparing the set of published ids with the set that was handled, never by
// counting rows.
#include <atomic>
#include <barrier>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "contract/contract.hpp"
#include "support/scale.hpp"

namespace penstock::contract {

using ::testing::IsEmpty;

namespace {

/// What the handlers of all threads saw, in the order in which they saw it.
class Journal {
 public:
  void write(const Work& work) {
    const std::scoped_lock lock(mutex_);
    ++handled_[*work.event->id];
    if (!work.event->key) return;
    std::int64_t& last = last_of_key_[*work.event->key];
    if (*work.sequence <= last) ++inversions_;
    last = *work.sequence;
  }
  [[nodiscard]] std::size_t size() {
    const std::scoped_lock lock(mutex_);
    return handled_.size();
  }
  [[nodiscard]] std::map<EventId, int> handled() {
    const std::scoped_lock lock(mutex_);
    return handled_;
  }
  [[nodiscard]] int inversions() {
    const std::scoped_lock lock(mutex_);
    return inversions_;
  }

 private:
  std::mutex mutex_;
  std::map<EventId, int> handled_;
  std::map<std::string, std::int64_t> last_of_key_;
  int inversions_ = 0;
};

/// Runs `body(i)` on `count` threads that begin together.
void on_threads(int count, const std::function<void(int)>& body) {
  std::barrier start(count);
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
    });
  }
}

void expect_each_once(Journal& journal, const std::set<EventId>& published) {
  const std::map<EventId, int> handled = journal.handled();
  std::set<EventId> ids;
  for (const auto& [id, times] : handled) {
    EXPECT_EQ(times, 1) << id.to_string();
    ids.insert(id);
  }
  EXPECT_EQ(ids, published);
}

}  // namespace

// Known faults 53 and 171.
TEST_P(ConcurrencyContract, ClaimersAtOnceNeverGetTheSameWork) {
  subscribe("h");
  const std::vector<EventId> ids = publish_many(static_cast<int>(test::scaled(100'000)));
  Journal journal;

  on_threads(8, [&](int i) {
    const ClaimWish wish{.worker = "worker-" + std::to_string(i), .limit = 20};
    while (journal.size() < ids.size()) {
      const std::vector<Work> work = claim(wish).work;
      if (work.empty()) std::this_thread::yield();
      for (const Work& one : work) journal.write(one);
      for (const Verdict verdict : bus().complete(tokens_of(work), nullptr)) {
        EXPECT_EQ(verdict, Verdict::done);
      }
    }
  });

  expect_each_once(journal, {ids.begin(), ids.end()});
}

// Known fault 65.
TEST_P(ConcurrencyContract, SixteenClaimersKeepTheOrderOfTenKeys) {
  subscribe("h");
  const std::size_t size = test::scaled(100'000);
  std::vector<Event> events;
  for (std::size_t i = 0; i < size; ++i) events.push_back(keyed("key-" + std::to_string(i % 10)));
  std::set<EventId> published;
  for (const Published& one : bus().publish(events, nullptr)) published.insert(one.id);
  Journal journal;

  on_threads(16, [&](int i) {
    const ClaimWish wish{.worker = "worker-" + std::to_string(i), .limit = 20, .run_limit = 5};
    while (journal.size() < size) {
      const std::vector<Work> work = claim(wish).work;
      if (work.empty()) std::this_thread::yield();
      for (const Work& one : work) {
        journal.write(one);
        EXPECT_EQ(complete(one.token), Verdict::done);
      }
    }
  });

  expect_each_once(journal, published);
  EXPECT_EQ(journal.inversions(), 0);
}

// Known fault 5.
TEST_P(ConcurrencyContract, BulkPublishersOfOneKeyKeepTheOrderOfEachBatch) {
  subscribe("h");
  const std::size_t each = test::scaled(5'000);
  std::atomic<std::size_t> total = 0;
  on_threads(16, [&](int i) {
    std::vector<Event> batch;
    for (std::size_t n = 0; n < each; ++n) {
      batch.push_back(keyed("hot", std::to_string(i) + ":" + std::to_string(n)));
      if (batch.size() < 50 && n + 1 < each) continue;
      total += bus().publish(batch, nullptr).size();
      batch.clear();
    }
  });

  std::map<std::string, long> last;
  std::size_t seen = 0;
  while (true) {
    const std::vector<Work> work = claim({.limit = 500, .run_limit = 500}).work;
    if (work.empty()) break;
    for (const Work& one : work) {
      const std::string& payload = one.event->payload;
      const std::size_t colon = payload.find(':');
      const long number = std::stol(payload.substr(colon + 1));
      const auto [entry, is_first] = last.try_emplace(payload.substr(0, colon), -1);
      EXPECT_EQ(number, entry->second + 1) << payload;
      entry->second = number;
      ++seen;
    }
    ASSERT_EQ(bus().complete(tokens_of(work), nullptr).size(), work.size());
  }
  EXPECT_EQ(seen, 16 * each);
  EXPECT_EQ(total, 16 * each);
}

TEST_P(ConcurrencyContract, PublishersOfOneIdStoreItOnce) {
  subscribe("h");
  std::atomic<int> created = 0;

  on_threads(16, [&](int) {
    for (int n = 0; n < 20; ++n) {
      const Published published = publish({.type = "order.paid", .id = event_id(n)});
      if (published.status == PublishStatus::created) ++created;
    }
  });

  EXPECT_EQ(created, 20);
  EXPECT_EQ(claimed_count({.limit = 100}), 20U);
}

// Known fault 31: work that is published while the last of it is finished is never stranded.
TEST_P(ConcurrencyContract, PublishingWhileTheOnlyWorkEndsStrandsNothing) {
  subscribe("h");
  const std::size_t rounds = test::scaled(100'000);
  std::atomic<std::size_t> handled = 0;

  on_threads(2, [&](int i) {
    if (i == 0) {
      for (std::size_t n = 0; n < rounds; ++n) publish(keyed("k"));
      return;
    }
    while (handled < rounds) {
      for (const Work& work : claim().work) {
        EXPECT_EQ(complete(work.token), Verdict::done);
        ++handled;
      }
    }
  });

  EXPECT_EQ(handled, rounds);
  EXPECT_THAT(list(), IsEmpty());
}

// Known fault 29: a worker that is declared dead while it runs never makes two of one key run.
TEST_P(ConcurrencyContract, TakeoversRacingCompletionsLeaveExactlyOneWinner) {
  subscribe("h", "*", 1'000'000);
  for (int round = 0; round < 50; ++round) {
    publish(keyed("k"));
    const Token token = claim_one({.worker = "worker-a"}).token;
    clock().advance(31s);
    std::atomic<int> winners = 0;

    on_threads(2, [&](int i) {
      if (i == 0) {
        if (complete(token) == Verdict::done) ++winners;
      } else {
        const ClaimWish wish{.worker = "worker-b", .suspects = SuspectPolicy::take_alone};
        for (const Work& work : claim(wish).work) {
          ++winners;
          EXPECT_EQ(complete(work.token), Verdict::done);
        }
      }
    });

    EXPECT_EQ(winners, 1) << "round " << round;
    // Where the takeover won but the suspect was not claimed, nothing would be lost either.
    ASSERT_THAT(list(), IsEmpty());
    relinquish("worker-b");
  }
}

TEST_P(ConcurrencyContract, OperatorsRacingWorkersBreakNoFence) {
  subscribe("h");
  const std::vector<EventId> ids = publish_many(200);
  std::atomic<bool> over = false;
  std::atomic<int> completed = 0;

  on_threads(4, [&](int i) {
    if (i == 0) {
      for (int n = 0; n < 50; ++n) {
        bus().bury_selected({.event_id = ids[static_cast<std::size_t>(n)]}, "operator");
        bus().requeue({.all = true});
      }
      over = true;
      return;
    }
    const ClaimWish wish{.worker = "worker-" + std::to_string(i), .limit = 5};
    while (true) {
      const bool is_last = over;
      const std::vector<Work> work = claim(wish).work;
      for (const Work& one : work) completed += complete(one.token) == Verdict::done ? 1 : 0;
      if (work.empty() && is_last && list().empty()) return;
    }
  });

  EXPECT_EQ(completed, 200);
}

}  // namespace penstock::contract

// Calls at once on a server of their own, whose count of deadlocks is theirs. Completions against
// takeovers, ten thousand times: exactly one of the two wins each delivery.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <future>
#include <thread>

#include "penstock/stores/postgres.hpp"
#include "support/postgres_server.hpp"
#include "support/signal.hpp"

namespace penstock::test {
namespace {

constexpr int kRounds = 100;
constexpr int kDeliveries = 50;

class PostgresConcurrency : public testing::Test {
 protected:
  void SetUp() override {
    store_.bus().setup(SetupMode::migrate);
    store_.bus().subscribe({.handler = "h", .types = {"*"}, .max_attempts = 1'000'000});
    // What was charged is remembered here even where a completion took its row away afterwards.
    user_.ask("create table " + name("charged") + "(id bigint)");
    user_.ask("create function " + name("remember") +
              "() returns trigger language plpgsql as $$ begin insert into " + name("charged") +
              " values (new.id); return null; end $$");
    user_.ask("create trigger remember after update on " + name("deliveries") +
              " for each row when (new.attempts > old.attempts) execute function " +
              name("remember") + "()");
  }
  [[nodiscard]] std::string name(const std::string& object) const {
    return '"' + schema_.name() + "\".\"" + object + '"';
  }

  BusStore& bus() { return store_.bus(); }
  [[nodiscard]] std::string deadlocks() const {
    return user_.ask("select deadlocks from pg_stat_database where datname = current_database()");
  }

  Claimed claim(const std::string& worker, Duration lease) {
    const WorkerId id(worker);
    const HandlerRoom room{.handler = "h", .room = 1'000};
    return bus().claim(
        {.worker = id, .handlers = {&room, 1}, .limit = kDeliveries, .lease = lease});
  }

  /// Claims a batch under a lease that is over at once, and races its completion by `finish`, which
  /// answers how many it completed for good, against a takeover.
  template <typename Finish>
  void race(Finish finish) {
    const std::vector<Event> events(kDeliveries, Event{.type = "t"});
    bus().publish(events, nullptr);
    std::vector<Token> tokens;
    for (const Work& work : claim("owner", Duration{1}).work) tokens.push_back(work.token);
    ASSERT_EQ(tokens.size(), static_cast<std::size_t>(kDeliveries));

    std::barrier start(2);
    std::size_t completed = 0;
    {
      const std::jthread rival([&] {
        start.arrive_and_wait();
        static_cast<void>(claim("rival", std::chrono::seconds{30}));
      });
      start.arrive_and_wait();
      completed = finish(tokens);
    }
    static_cast<void>(claim("rival", std::chrono::seconds{30}));

    const auto taken_over = static_cast<std::size_t>(
        std::stoi(user_.ask("with round as (delete from " + name("charged") +
                            " returning id) select count(*) from round")));
    EXPECT_EQ(completed + taken_over, tokens.size());
    takeovers_ += taken_over;
    completions_ += completed;
    bus().bury_selected({.all = true}, "the round is over");
    bus().purge({.completed = std::chrono::hours{1}, .dead = Duration{0}}, 1'000);
  }

  const PostgresServer server_;
  const TestSchema schema_{server_.folder()};
  const Session user_{schema_.url()};
  PostgresStore store_{{.connection = schema_.url(), .schema = schema_.name()}};
  std::size_t takeovers_ = 0;
  std::size_t completions_ = 0;
};

TEST_F(PostgresConcurrency, PlainCompletionsAndTakeoversHaveOneWinnerForEachDelivery) {
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    race([&](const std::vector<Token>& tokens) {
      std::size_t completed = 0;
      for (std::size_t i = 0; i < tokens.size(); i += 5) {
        for (const Verdict verdict : bus().complete({tokens.data() + i, 5}, nullptr)) {
          completed += verdict == Verdict::done ? 1 : 0;
        }
      }
      return completed;
    });
  }
  EXPECT_GT(takeovers_, 0U) << "else there was no race";
  EXPECT_GT(completions_, 0U);
  EXPECT_EQ(deadlocks(), "0");
}

TEST_F(PostgresConcurrency, TransactionalCompletionsAndTakeoversHaveOneWinnerForEachDelivery) {
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    race([&](const std::vector<Token>& tokens) {
      std::size_t completed = 0;
      for (std::size_t i = 0; i < tokens.size(); i += 5) {
        const auto transaction = bus().begin();
        std::size_t done = 0;
        for (const Verdict verdict : bus().complete({tokens.data() + i, 5}, transaction.get())) {
          done += verdict == Verdict::done ? 1 : 0;
        }
        transaction->commit();
        completed += done;
      }
      return completed;
    });
  }
  EXPECT_GT(takeovers_, 0U) << "else there was no race";
  EXPECT_GT(completions_, 0U);
  EXPECT_EQ(deadlocks(), "0");
}

TEST_F(PostgresConcurrency, ATakeoverDoesNotWaitForAHandlersTransaction) {
  const std::vector<Event> events(2, Event{.type = "t"});
  bus().publish(events, nullptr);
  const std::vector<Work> work = claim("owner", Duration{1}).work;
  ASSERT_EQ(work.size(), 2U);
  const auto transaction = bus().begin();
  EXPECT_EQ(bus().complete({&work[0].token, 1}, transaction.get()).front(), Verdict::done);

  auto rival = std::async(std::launch::async, [&] { return claim("rival", Duration{1}); });
  const bool has_ended = rival.wait_for(kPatience) == std::future_status::ready;
  transaction->commit();

  EXPECT_TRUE(has_ended);
  EXPECT_EQ(user_.ask("select count(*) from " + name("charged")), "1") << "the other delivery";
}

TEST_F(PostgresConcurrency, BigPublishesOfTheSameKeysDoNotDeadlock) {
  std::vector<Event> up;
  for (int i = 0; i < 2'500; ++i) {
    up.push_back({.type = "t", .key = "k" + std::to_string(i % 1'250)});
  }
  const std::vector<Event> down(up.rbegin(), up.rend());

  {
    const std::jthread other([&] {
      for (int i = 0; i < 3; ++i) bus().publish(down, nullptr);
    });
    for (int i = 0; i < 3; ++i) bus().publish(up, nullptr);
  }

  EXPECT_EQ(deadlocks(), "0");
  EXPECT_EQ(bus().statistics().handlers.at("h").pending, 15'000);
}

}  // namespace
}  // namespace penstock::test

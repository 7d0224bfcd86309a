// The contract of a bus store, executable: one suite per verb, run on every store.
//
// A store takes part with a file of ten lines: it describes how a fresh, empty store is made, and
// writes PENSTOCK_INSTANTIATE_CONTRACT once.
//
//   class MyFixture final : public penstock::contract::StoreFixture { … };
//   penstock::contract::StoreUnderTest my_store() { return {.name = "mystore", .make = …}; }
//   PENSTOCK_INSTANTIATE_CONTRACT(MyStore, my_store());
//   PENSTOCK_INSTANTIATE_DURABLE_CONTRACT(MyStore, my_store());   // where it survives its process
//
// The program links penstock_contract. See tests/store/memory/contract_test.cpp.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/bus_store.hpp"
#include "penstock/error.hpp"

namespace penstock::contract {

using namespace std::chrono_literals;  // NOLINT(google-global-names-in-headers): test helpers.

/// What a test wants of its store.
struct StoreSetup {
  bool completion_history = false;
  std::size_t max_payload = limits::kPayloadBytes;
};

/// One store on data of its own, set up and empty; the data goes with the fixture.
class StoreFixture {
 public:
  virtual ~StoreFixture() = default;
  [[nodiscard]] virtual BusStore& bus() = 0;
  /// Closes the store and opens it again on the same data. A store whose `Capabilities::durable`
  /// is false does nothing.
  virtual void reopen() = 0;
  /// Makes the store draw `next` for the next delivery. Where it cannot, it answers false.
  virtual bool set_next_delivery_id(std::int64_t next) = 0;
};

struct StoreUnderTest {
  std::string name;
  /// `clock` judges leases and due times; it is the clock that the tests move.
  std::function<std::unique_ptr<StoreFixture>(std::shared_ptr<const Clock>, const StoreSetup&)>
      make;
};

void PrintTo(const StoreUnderTest& store, std::ostream* out);

/// A claim in words: what is not said is ordinary.
struct ClaimWish {
  std::string worker = "worker-a";
  std::vector<std::string> handlers = {"h"};
  std::size_t limit = 10;
  std::size_t run_limit = 1;
  Duration lease = 30s;
  SuspectPolicy suspects = SuspectPolicy::leave;
  std::size_t room = 1'000;  ///< Of each handler.
};

/// A store on a clock that stands still, and verbs short enough to read a test by.
class Contract : public ::testing::TestWithParam<StoreUnderTest> {
 protected:
  void SetUp() override { start({}); }

  /// Begins again on a fresh store.
  void start(const StoreSetup& setup);

  [[nodiscard]] StoreFixture& fixture() { return *fixture_; }
  [[nodiscard]] BusStore& bus() { return fixture_->bus(); }
  [[nodiscard]] ManualClock& clock() { return *clock_; }

  void subscribe(std::string handler, std::string pattern = "*", int max_attempts = 25);
  /// Publishes one event; its id is drawn here where it is absent.
  Published publish(Event event);
  EventId publish_type(std::string type);
  /// Publishes events of one key, one by one.
  std::vector<EventId> publish_key(const std::string& key, int count);
  /// Publishes keyless events, all in one call, numbered in their payload.
  std::vector<EventId> publish_many(int count);

  [[nodiscard]] Claimed claim(const ClaimWish& wish = {});
  /// Claims and expects exactly one piece of work.
  [[nodiscard]] Work claim_one(const ClaimWish& wish = {});
  [[nodiscard]] std::size_t claimed_count(const ClaimWish& wish = {}) {
    return claim(wish).work.size();
  }

  [[nodiscard]] Verdict complete(const Token& token);
  [[nodiscard]] Verdict complete(const Token& token, const Transaction& transaction);
  [[nodiscard]] Verdict extend(const Token& token, Duration lease = 30s);
  [[nodiscard]] Verdict release(const Token& token);
  [[nodiscard]] Verdict bury(const Token& token, std::string reason = "buried");
  [[nodiscard]] Verdict retry(const Token& token, Duration delay = 1s, std::string error = "no");
  [[nodiscard]] Verdict snooze(const Token& token, Duration delay = 1s);
  void relinquish(const std::string& worker);
  void inherit(const std::string& former, const std::string& worker,
               const std::vector<Token>& running);

  [[nodiscard]] std::vector<DeliveryInfo> list(const ListQuery& query = {});
  [[nodiscard]] DeliveryInfo show(const EventId& id, std::string_view handler = "h");
  [[nodiscard]] std::size_t count(DeliveryStatus status);
  [[nodiscard]] HandlerStatistics statistics_of(std::string_view handler);
  std::int64_t requeue_all() { return bus().requeue({.all = true}); }
  /// Purges batch by batch to the end, and adds up.
  Purged purge_all(const Retention& retention = {});

  /// Claims work for `worker` and lets it die: the lease runs out.
  std::vector<Work> crash(const ClaimWish& wish);
  /// Crashes and takes over, so that everything that was in flight is a suspect.
  void crash_and_take_over(const ClaimWish& wish);

 private:
  std::shared_ptr<ManualClock> clock_;
  std::unique_ptr<StoreFixture> fixture_;
};

[[nodiscard]] Event keyed(std::string key, std::string payload = "{}");
[[nodiscard]] Token token_of(const Work& work);
[[nodiscard]] std::vector<Token> tokens_of(const std::vector<Work>& work);
[[nodiscard]] std::vector<EventId> ids_of(const std::vector<Work>& work);
/// `count` keys that share lane `lane`.
[[nodiscard]] std::vector<std::string> keys_in_lane(int lane, int count);
/// The n-th of a fixed series of event ids.
[[nodiscard]] EventId event_id(int n);
/// The kind of the `Error` that `call` throws, and its field; empty where it throws none.
struct Refusal {
  ErrorKind kind;
  std::string field;
  std::optional<std::size_t> limit;
};
[[nodiscard]] std::optional<Refusal> refusal_of(const std::function<void()>& call);

// One suite for each verb.
#define PENSTOCK_CONTRACT_SUITES(apply, ...)                                                       \
  apply(SetupContract, __VA_ARGS__) apply(PublishContract, __VA_ARGS__)                            \
      apply(SubscribeContract, __VA_ARGS__) apply(ClaimContract, __VA_ARGS__)                      \
          apply(ExtendContract, __VA_ARGS__) apply(CompleteContract, __VA_ARGS__)                  \
              apply(RescheduleContract, __VA_ARGS__) apply(BuryContract, __VA_ARGS__) apply(       \
                  ReleaseContract, __VA_ARGS__) apply(RelinquishContract, __VA_ARGS__)             \
                  apply(InheritContract, __VA_ARGS__) apply(TakeoverContract, __VA_ARGS__)         \
                      apply(SuspectContract, __VA_ARGS__) apply(OrderContract, __VA_ARGS__) apply( \
                          FairnessContract, __VA_ARGS__) apply(TransactionContract, __VA_ARGS__)   \
                          apply(ListContract, __VA_ARGS__) apply(RequeueContract, __VA_ARGS__)     \
                              apply(BurySelectedContract, __VA_ARGS__)                             \
                                  apply(PurgeContract, __VA_ARGS__)                                \
                                      apply(StatisticsContract, __VA_ARGS__)                       \
                                          apply(LimitContract, __VA_ARGS__)                        \
                                              apply(WakeupContract, __VA_ARGS__)                   \
                                                  apply(ConcurrencyContract, __VA_ARGS__)          \
                                                      apply(HistoryContract, __VA_ARGS__)

#define PENSTOCK_DECLARE_SUITE(suite, ...) \
  class suite : public Contract {};
PENSTOCK_CONTRACT_SUITES(PENSTOCK_DECLARE_SUITE, )
#undef PENSTOCK_DECLARE_SUITE

/// What only stores that survive their process promise.
class DurableContract : public Contract {};

}  // namespace penstock::contract

#define PENSTOCK_INSTANTIATE_SUITE(suite, prefix, store)            \
  INSTANTIATE_TEST_SUITE_P(prefix, suite, ::testing::Values(store), \
                           [](const auto& test) { return test.param.name; });

/// Runs every suite on `store`, a StoreUnderTest. A durable store says so with the second macro.
#define PENSTOCK_INSTANTIATE_CONTRACT(prefix, store)                  \
  namespace penstock::contract {                                      \
  PENSTOCK_CONTRACT_SUITES(PENSTOCK_INSTANTIATE_SUITE, prefix, store) \
  }                                                                   \
  static_assert(true, "takes the semicolon")

#define PENSTOCK_INSTANTIATE_DURABLE_CONTRACT(prefix, store) \
  namespace penstock::contract {                             \
  PENSTOCK_INSTANTIATE_SUITE(DurableContract, prefix, store) \
  }                                                          \
  static_assert(true, "takes the semicolon")

// What is peculiar to the memory store: its log of published events, its transactions, and a claim
// whose cost does not grow with what waits elsewhere.
#include "contract/contract.hpp"
#include "penstock/stores/memory.hpp"

namespace penstock {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

class MemoryStoreTest : public ::testing::Test {
 protected:
  BusStore& bus() { return store_.bus(); }
  ManualClock& clock() { return *clock_; }
  MemoryStore& store() { return store_; }

  void SetUp() override { bus().subscribe({.handler = "h", .types = {"*"}}); }

  Published publish(const Event& event, const Transaction* transaction = nullptr) {
    return bus().publish({&event, 1}, transaction).at(0);
  }
  std::vector<Work> claim(const char* worker, SuspectPolicy suspects = SuspectPolicy::leave) {
    const WorkerId id{worker};
    const std::vector<HandlerRoom> rooms = {{"h", 10}};
    return bus().claim({.worker = id, .handlers = rooms, .suspects = suspects}).work;
  }
  std::optional<contract::Refusal> commit(OwnedTransaction& transaction) {
    return contract::refusal_of([&] { transaction.commit(); });
  }

 private:
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  MemoryStore store_{{.clock = clock_}};
};

std::vector<std::string> types_of(const std::vector<Event>& events) {
  std::vector<std::string> types;
  for (const Event& event : events) types.push_back(event.type);
  return types;
}

}  // namespace

TEST_F(MemoryStoreTest, TellsWhatWasPublishedInCommitOrder) {
  const auto transaction = bus().begin();
  publish({.type = "second"}, transaction.get());
  publish({.type = "first"});
  transaction->commit();
  publish({.type = "third"});

  const std::vector<Event> events = store().published();

  EXPECT_THAT(types_of(events), ElementsAre("first", "second", "third"));
  EXPECT_TRUE(events.at(0).id);
}

TEST_F(MemoryStoreTest, StillTellsWhatWasCompletedButNotWhatWasPurged) {
  publish({.type = "a"});
  const auto work = claim("w");
  ASSERT_THAT(bus().complete({&work.at(0).token, 1}, nullptr), ElementsAre(Verdict::done));
  EXPECT_THAT(types_of(store().published()), ElementsAre("a"));

  clock().advance(std::chrono::days{8});
  bus().purge({}, 100);

  EXPECT_THAT(store().published(), IsEmpty());
}

TEST_F(MemoryStoreTest, RefusesACommitWhoseIdWasPublishedMeanwhile) {
  const Event event{.type = "a", .id = contract::event_id(1)};
  const auto transaction = bus().begin();
  publish({.type = "b"}, transaction.get());
  EXPECT_EQ(publish(event, transaction.get()).status, PublishStatus::created);
  publish(event);

  const auto refusal = commit(*transaction);

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::conflict);
  EXPECT_THAT(types_of(store().published()), ElementsAre("a"));
}

TEST_F(MemoryStoreTest, RefusesACommitWhoseLateHandlerWasAddedMeanwhile) {
  const Event event{.type = "a", .id = contract::event_id(1)};
  publish(event);
  bus().subscribe({.handler = "late", .types = {"*"}});
  const auto transaction = bus().begin();
  EXPECT_THAT(publish(event, transaction.get()).handlers, ElementsAre("late"));
  publish(event);

  const auto refusal = commit(*transaction);

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::conflict);
}

TEST_F(MemoryStoreTest, RefusesACommitWhoseTokenWasLostMeanwhile) {
  publish({.type = "a"});
  const Token token = claim("worker-a").at(0).token;
  const auto transaction = bus().begin();
  publish({.type = "b"}, transaction.get());
  ASSERT_THAT(bus().complete({&token, 1}, transaction.get()), ElementsAre(Verdict::done));
  clock().advance(31s);
  ASSERT_EQ(claim("worker-b", SuspectPolicy::take_alone).size(), 1U);

  const auto refusal = commit(*transaction);

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::conflict);
  EXPECT_THAT(types_of(store().published()), ElementsAre("a"));
}

TEST_F(MemoryStoreTest, HoldsNoLockBetweenBeginAndCommit) {
  const auto transaction = bus().begin();
  publish({.type = "a"}, transaction.get());

  publish({.type = "b"});

  EXPECT_EQ(claim("w").size(), 1U);
}

TEST_F(MemoryStoreTest, RefusesATransactionOfAnotherMemoryStore) {
  MemoryStore other;
  const auto transaction = other.bus().begin();

  const auto refusal = contract::refusal_of([&] { publish({.type = "a"}, transaction.get()); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_EQ(refusal->field, "transaction");
}

TEST_F(MemoryStoreTest, AnswersZeroAsNextDueWhereWorkWasLeftForAnotherWorker) {
  bus().subscribe({.handler = "other", .types = {"*"}});
  const std::vector<std::string> keys = contract::keys_in_lane(5, 2);
  publish({.type = "a", .key = keys[0]});
  ASSERT_EQ(claim("w").size(), 1U);
  publish({.type = "a", .key = keys[1]});
  const WorkerId worker{"w"};
  const std::vector<HandlerRoom> rooms = {{"h", 10}};

  const Claimed claimed = bus().claim({.worker = worker, .handlers = rooms});

  EXPECT_THAT(claimed.work, IsEmpty());
  EXPECT_EQ(claimed.next_due_in, Duration{0});
}

TEST_F(MemoryStoreTest, SharesTheEventBetweenItsDeliveries) {
  bus().subscribe({.handler = "other", .types = {"*"}});
  publish({.type = "a", .payload = std::string(1'000, 'x')});
  const WorkerId worker{"w"};
  const std::vector<HandlerRoom> rooms = {{"h", 10}, {"other", 10}};

  const std::vector<Work> work = bus().claim({.worker = worker, .handlers = rooms}).work;

  ASSERT_EQ(work.size(), 2U);
  EXPECT_EQ(work[0].event, work[1].event);
}

TEST_F(MemoryStoreTest, RunsOnTheWallClockUnlessToldOtherwise) {
  MemoryStore store;

  const Timestamp before = SystemClock().now();
  const Timestamp at = store.bus().statistics().at;

  EXPECT_GE(at, before);
}

}  // namespace penstock

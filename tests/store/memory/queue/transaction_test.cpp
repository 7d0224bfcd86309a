// Jobs in a transaction of the memory store, alone and together with events.
#include "store/memory/queue/fixture.hpp"

namespace penstock {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace {

class MemoryQueueTransactionTest : public MemoryQueueTest {
 protected:
  static std::optional<contract::Refusal> commit(OwnedTransaction& transaction) {
    return contract::refusal_of([&] { transaction.commit(); });
  }
  void publish(const Event& event, const Transaction* transaction = nullptr) {
    bus().publish({&event, 1}, transaction);
  }
};

}  // namespace

TEST_F(MemoryQueueTransactionTest, EnqueuesAtTheCommitAndInItsOrder) {
  const auto transaction = bus().begin();
  const Enqueued later = enqueue({.queue = "mail", .kind = "second"}, transaction.get());
  enqueue({.queue = "mail", .kind = "first"});
  EXPECT_FALSE(queue().show(later.id));

  transaction->commit();

  EXPECT_TRUE(queue().show(later.id));
  EXPECT_THAT(kinds_of(claim().work), ElementsAre("first", "second"));
}

TEST_F(MemoryQueueTransactionTest, EnqueuesNothingWithoutACommit) {
  enqueue({.queue = "mail", .kind = "k", .unique_key = "u"}, bus().begin().get());

  EXPECT_THAT(store().enqueued(), IsEmpty());
  EXPECT_TRUE(enqueue({.queue = "mail", .kind = "k", .unique_key = "u"}).created);
}

TEST_F(MemoryQueueTransactionTest, CommitsJobsAndEventsTogether) {
  const auto transaction = bus().begin();
  publish({.type = "a"}, transaction.get());
  enqueue({.queue = "mail", .kind = "k"}, transaction.get());

  transaction->commit();

  EXPECT_THAT(store().published(), SizeIs(1));
  EXPECT_THAT(store().enqueued(), SizeIs(1));
}

TEST_F(MemoryQueueTransactionTest, EnqueuesNothingWhereAnEventIsRefused) {
  const Event event{.type = "a", .id = contract::event_id(1)};
  const auto transaction = bus().begin();
  enqueue({.queue = "mail", .kind = "k"}, transaction.get());
  publish(event, transaction.get());
  publish(event);

  ASSERT_TRUE(commit(*transaction));

  EXPECT_THAT(store().enqueued(), IsEmpty());
}

TEST_F(MemoryQueueTransactionTest, PublishesNothingWhereAUniqueKeyWasTakenMeanwhile) {
  const auto transaction = bus().begin();
  publish({.type = "a"}, transaction.get());
  EXPECT_TRUE(
      enqueue({.queue = "mail", .kind = "k", .unique_key = "u"}, transaction.get()).created);
  enqueue({.queue = "mail", .kind = "k", .unique_key = "u"});

  const auto refusal = commit(*transaction);

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::conflict);
  EXPECT_THAT(store().published(), IsEmpty());
  EXPECT_THAT(store().enqueued(), SizeIs(1));
}

TEST_F(MemoryQueueTransactionTest, SeesTheUniqueKeysThatItTakesItself) {
  const auto transaction = bus().begin();
  const Enqueued first =
      enqueue({.queue = "mail", .kind = "k", .unique_key = "u"}, transaction.get());

  const Enqueued second =
      enqueue({.queue = "mail", .kind = "k", .unique_key = "u"}, transaction.get());

  EXPECT_EQ(second, (Enqueued{.id = first.id, .created = false}));
  transaction->commit();
  EXPECT_THAT(store().enqueued(), SizeIs(1));
}

TEST_F(MemoryQueueTransactionTest, RefusesATransactionOfAnotherMemoryStore) {
  MemoryStore other;
  const auto transaction = other.bus().begin();

  const auto refusal =
      contract::refusal_of([&] { enqueue({.queue = "mail", .kind = "k"}, transaction.get()); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_EQ(refusal->field, "transaction");
}

TEST_F(MemoryQueueTransactionTest, RefusesOneThatHasEnded) {
  const auto transaction = bus().begin();
  transaction->commit();

  const auto refusal =
      contract::refusal_of([&] { enqueue({.queue = "mail", .kind = "k"}, transaction.get()); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
}

}  // namespace penstock

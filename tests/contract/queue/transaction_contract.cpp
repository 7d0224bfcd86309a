// Transactions: what is enqueued in one exists when, and only if, it commits.
#include "contract/queue/queue_contract.hpp"

namespace penstock::contract {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace {

class ForeignTransaction final : public Transaction {};

}  // namespace

TEST_P(QueueTransactionContract, ShowsNothingBeforeTheCommit) {
  const auto transaction = bus().begin();
  const Enqueued enqueued = enqueue_in(*transaction, job());
  EXPECT_TRUE(enqueued.created);
  EXPECT_FALSE(show(enqueued.id));
  EXPECT_THAT(list(JobState::ready), IsEmpty());

  transaction->commit();

  EXPECT_THAT(jobs_of(take()), ElementsAre(enqueued.id));
}

TEST_P(QueueTransactionContract, LeavesNothingWithoutACommit) {
  JobId id;
  {
    const auto transaction = bus().begin();
    id = enqueue_in(*transaction, job()).id;
  }

  EXPECT_FALSE(show(id));
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(lane().waiting, 0);
}

TEST_P(QueueTransactionContract, AHoleHoldsNobodyUp) {
  const JobId before = enqueue(job());
  {
    const auto transaction = bus().begin();
    for (int i = 0; i < 3; ++i) enqueue_in(*transaction, job());
  }
  const JobId after = enqueue(job());

  EXPECT_THAT(jobs_of(take()), ElementsAre(before, after));
}

TEST_P(QueueTransactionContract, MayEnqueueSeveralTimes) {
  std::vector<JobId> ids;
  const auto transaction = bus().begin();
  for (int i = 0; i < 3; ++i) ids.push_back(enqueue_in(*transaction, job()).id);
  ids.push_back(enqueue_in(*transaction, {.queue = "q", .kind = "k", .priority = 4}).id);
  transaction->commit();

  EXPECT_THAT(drain(), ElementsAreArray(ids));
}

TEST_P(QueueTransactionContract, EnqueuesAndPublishesInOneStep) {
  bus().subscribe({.handler = "h", .types = {"*"}});
  const Event event{.type = "order.paid"};
  {
    const auto transaction = bus().begin();
    bus().publish({&event, 1}, transaction.get());
    enqueue_in(*transaction, job());
  }
  EXPECT_EQ(bus().statistics().events, 0);
  EXPECT_THAT(list(JobState::ready), IsEmpty());

  const auto transaction = bus().begin();
  bus().publish({&event, 1}, transaction.get());
  enqueue_in(*transaction, job());
  transaction->commit();

  EXPECT_EQ(bus().statistics().events, 1);
  EXPECT_THAT(list(JobState::ready), SizeIs(1));
}

TEST_P(QueueTransactionContract, EnqueuesWithTheCompletionOfADelivery) {
  bus().subscribe({.handler = "h", .types = {"*"}});
  const Event event{.type = "order.paid"};
  bus().publish({&event, 1}, nullptr);
  const WorkerId worker{"worker-a"};
  const HandlerRoom room{"h", 10};
  const Token token = bus().claim({.worker = worker, .handlers = {&room, 1}}).work.at(0).token;

  const auto transaction = bus().begin();
  EXPECT_THAT(bus().complete({&token, 1}, transaction.get()), ElementsAre(Verdict::done));
  const JobId id = enqueue_in(*transaction, job()).id;
  transaction->commit();

  EXPECT_EQ(state_of(id), JobState::ready);
  EXPECT_THAT(bus().complete({&token, 1}, nullptr), ElementsAre(Verdict::lost));
}

TEST_P(QueueTransactionContract, ABatchIsInOrder) {
  std::vector<NewJob> jobs;
  for (int i = 0; i < 20; ++i) jobs.push_back(job(std::to_string(i)));
  const auto transaction = bus().begin();
  const std::vector<JobId> ids = jobs_of(queue().enqueue(jobs, transaction.get()));
  transaction->commit();

  EXPECT_THAT(jobs_of(take()), ElementsAreArray(ids));
}

TEST_P(QueueTransactionContract, RefusesBadInputAndStaysUsable) {
  const auto transaction = bus().begin();
  const JobId id = enqueue_in(*transaction, job()).id;

  const auto refusal = refusal_of([&] { enqueue_in(*transaction, keyed_job("")); });
  transaction->commit();

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_THAT(jobs_of(take()), ElementsAre(id));
}

TEST_P(QueueTransactionContract, RefusesOneOfAnotherStore) {
  const ForeignTransaction foreign;

  const auto refusal = refusal_of([&] { enqueue_in(foreign, job()); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_THAT(list(JobState::ready), IsEmpty());
}

TEST_P(QueueTransactionContract, RefusesOneThatEnded) {
  const auto transaction = bus().begin();
  transaction->commit();

  const auto refusal = refusal_of([&] { enqueue_in(*transaction, job()); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
}

TEST_P(QueueTransactionContract, AUniqueKeyIsTakenWithTheCommit) {
  JobId rolled_back;
  {
    const auto transaction = bus().begin();
    rolled_back = enqueue_in(*transaction, unique_job("u")).id;
  }
  const auto transaction = bus().begin();
  const Enqueued first = enqueue_in(*transaction, unique_job("u"));
  const Enqueued second = enqueue_in(*transaction, unique_job("u"));
  transaction->commit();

  EXPECT_TRUE(first.created) << "the one that was rolled back holds nothing";
  EXPECT_EQ(second, (Enqueued{.id = first.id, .created = false}));
  EXPECT_FALSE(try_enqueue(unique_job("u")).created);
}

TEST_P(QueueTransactionContract, AHeldUniqueKeyIsFound) {
  const JobId held = enqueue(unique_job("u"));

  const auto transaction = bus().begin();
  const Enqueued again = enqueue_in(*transaction, unique_job("u"));
  transaction->commit();

  EXPECT_EQ(again, (Enqueued{.id = held, .created = false}));
}

TEST_P(QueueTransactionContract, AScheduledJobWaitsForTheCommitToo) {
  const auto transaction = bus().begin();
  const JobId id = enqueue_in(*transaction, {.queue = "q", .kind = "k", .run_at = now() + 1h}).id;
  EXPECT_FALSE(show(id));
  transaction->commit();

  EXPECT_EQ(state_of(id), JobState::scheduled);
}

// A lane that is born in a transaction dies with it, and is born again.
TEST_P(QueueTransactionContract, ALaneWhoseBirthWasRolledBackIsBornAgain) {
  queue().set_shards("new", 4);
  {
    const auto transaction = bus().begin();
    for (int shard = 0; shard < 4; ++shard) {
      enqueue_in(*transaction, {.queue = "new", .kind = "k", .key = key_of_shard(shard, 4)});
    }
  }

  for (int shard = 0; shard < 4; ++shard) {
    enqueue({.queue = "new", .kind = "k", .key = key_of_shard(shard, 4)});
  }

  EXPECT_THAT(drain({.queues = {"new"}}), SizeIs(4));
}

}  // namespace penstock::contract

// A store of today on a database that version 0.1.0 made: nothing is lost, nothing runs again.
#include <map>

#include "store/postgres/old_database.hpp"

namespace penstock::postgres::detail {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Retention kAnHour{.completed = std::chrono::hours{1}, .dead = std::chrono::years{100}};

class UpgradedStoreTest : public UpgradeTest {
 protected:
  void open() {
    old_.upgrade();
    store_.emplace(old_.options());
    bus().setup(SetupMode::check);
  }
  [[nodiscard]] BusStore& bus() { return store_->bus(); }
  [[nodiscard]] std::vector<DeliveryInfo> list(DeliveryStatus status) {
    return bus().list({.status = status}).items;
  }
  /// Claims and completes until nothing is due; the payloads in that order.
  std::vector<std::string> work_off(const std::string& handler) {
    bus().subscribe({.handler = handler, .types = {"*"}});
    const WorkerId worker("w");
    const HandlerRoom room{.handler = handler, .room = 50};
    std::vector<std::string> payloads;
    for (;;) {
      const Claimed claimed = bus().claim({.worker = worker, .handlers = {&room, 1}, .limit = 50});
      if (claimed.work.empty() && claimed.next_due_in != Duration::zero()) return payloads;
      std::vector<Token> tokens;
      for (const Work& work : claimed.work) {
        payloads.push_back(work.event->payload);
        tokens.push_back(work.token);
      }
      EXPECT_THAT(bus().complete(tokens, nullptr), Each(Verdict::done));
    }
  }

  std::optional<PostgresStore> store_;
};

TEST_F(UpgradedStoreTest, ListsAndCountsWhatWasCompleted) {
  old_.fill();
  open();

  const std::vector<DeliveryInfo> completed = list(DeliveryStatus::completed);

  ASSERT_THAT(completed, SizeIs(2));
  EXPECT_EQ(completed[0].handler, "receipt");
  EXPECT_EQ(completed[0].updated_at, Timestamp{std::chrono::seconds{1'704'067'260}});
  EXPECT_EQ(completed[1].event_id, EventId::from_foreign("ndjson", "msg-7"));
  const Statistics statistics = bus().statistics();
  EXPECT_EQ(statistics.events, 9);
  EXPECT_EQ(statistics.handlers.at("receipt").completed, 1);
  EXPECT_EQ(statistics.handlers.at("receipt").pending, 2);
  EXPECT_EQ(statistics.handlers.at("index").completed, 1);
  EXPECT_EQ(statistics.handlers.at("index").dead, 1);
}

TEST_F(UpgradedStoreTest, ListsWhatRanAsPendingWithItsAttempts) {
  old_.fill();
  open();

  const std::vector<DeliveryInfo> pending =
      bus().list({.status = DeliveryStatus::pending, .key = "order-1"}).items;

  ASSERT_THAT(pending, SizeIs(2));
  EXPECT_EQ(pending[0].sequence, 2);
  EXPECT_EQ(pending[0].attempts, 3);
  EXPECT_EQ(pending[1].sequence, 3);
}

TEST_F(UpgradedStoreTest, PurgesWhatWasCompletedAfterItsRetention) {
  old_.fill();
  old_.ask("update relaybus_deliveries set completed_at = now() where id = 'd9'");
  open();

  const Purged first = bus().purge(kAnHour, 1'000);
  const Purged second = bus().purge(kAnHour, 1'000);

  EXPECT_EQ(first.history, 1);
  EXPECT_EQ(second.history, 0);
  EXPECT_EQ(first.events, 1);  // That which never had a delivery.
  ASSERT_THAT(list(DeliveryStatus::completed), SizeIs(1));
  EXPECT_EQ(list(DeliveryStatus::completed)[0].handler, "receipt");
  // What was left is found again; its event goes with it.
  const Purged third = bus().purge({.completed = Duration::zero(), .dead = kAnHour.dead}, 1'000);
  EXPECT_EQ(third.history, 1);
  EXPECT_EQ(third.events, 1);
}

TEST_F(UpgradedStoreTest, PurgesWhatWasCompletedInParts) {
  old_.fill_with(400);
  open();
  ASSERT_THAT(list(DeliveryStatus::completed), SizeIs(::testing::Gt(60)));

  Purged purged = bus().purge({}, 50);

  EXPECT_EQ(purged.history, 50);
  EXPECT_TRUE(purged.more);
  while (purged.more) purged = bus().purge({}, 50);
  EXPECT_THAT(list(DeliveryStatus::completed), IsEmpty());
  // From now on it does not look for any.
  EXPECT_EQ(bus().purge({}, 50).history, 0);
  EXPECT_EQ(old_.ask("select max(value) - min(value) from relaybus_meta"
                     " where name like 'old_completed%'"),
            "1");
}

TEST_F(UpgradedStoreTest, KeepsTheOrderOfAKeyAlsoForWhatIsPublishedAfterwards) {
  old_.fill();
  open();
  bus().subscribe({.handler = "receipt", .types = {"*"}});
  const Event next{
      .type = "order.paid", .key = "order-1", .payload = R"({"n":10})", .id = EventId::generate()};
  ASSERT_THAT(bus().publish({&next, 1}, nullptr), SizeIs(1));

  EXPECT_THAT(work_off("receipt"), ElementsAre(R"({"n":2})", R"({"n":3})", R"({"n":10})"));
}

TEST_F(UpgradedStoreTest, RunsNothingAgainWhereAnOldEventIsPublishedAgain) {
  old_.fill();
  open();
  for (const char* handler : {"receipt", "index", "archive", "new"}) {
    bus().subscribe({.handler = handler, .types = {"*"}});
  }
  const Event foreign{.type = "scan.done", .id = EventId::from_foreign("ndjson", "msg-7")};
  const Event upper{.type = "scan.done",
                    .id = EventId::parse("ABCDEF00-0000-4000-8000-000000000006")};

  EXPECT_THAT(bus().publish({&foreign, 1}, nullptr).at(0).handlers, ElementsAre("new", "receipt"));
  EXPECT_THAT(bus().publish({&upper, 1}, nullptr).at(0).handlers,
              ElementsAre("archive", "new", "receipt"));
  EXPECT_THAT(work_off("archive"), SizeIs(2));
  EXPECT_THAT(work_off("index"), SizeIs(2));
}

TEST_F(UpgradedStoreTest, GivesADeadDeliveryItsSecondChance) {
  old_.fill();
  open();

  EXPECT_EQ(bus().requeue({.handler = "receipt"}), 1);

  EXPECT_THAT(work_off("receipt"), Contains(R"({"n":4})"));
}

TEST_F(UpgradedStoreTest, HandsOutManyKeysInOrder) {
  old_.fill_with(2'000);
  open();
  const std::string pending =
      old_.ask("select count(*) from relaybus_deliveries where status = 'pending'");

  const std::vector<std::string> payloads = work_off("receipt");

  EXPECT_EQ(std::to_string(payloads.size()), pending);
  std::map<int, int> last;
  for (const std::string& payload : payloads) {
    const int n = std::stoi(payload.substr(payload.find("\"n\":") + 4));
    if (n % 2 != 0) continue;
    int& before = last[n / 2 % 500];
    EXPECT_LT(before, n);
    before = n;
  }
}

}  // namespace
}  // namespace penstock::postgres::detail

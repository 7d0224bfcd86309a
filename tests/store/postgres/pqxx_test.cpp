// Publishing in a transaction of libpqxx.
#include <gmock/gmock.h>

#include "penstock/stores/postgres.hpp"
#include "penstock/stores/pqxx.hpp"
#include "support/postgres_server.hpp"

namespace penstock::postgres {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PqxxTest : public ::testing::Test {
 protected:
  PqxxTest() {
    store_.bus().setup(SetupMode::migrate);
    store_.bus().subscribe({.handler = "mail", .types = {"order.*"}});
    store_.bus().subscribe({.handler = "say \"hi\", {}\\", .types = {"order.paid"}});
  }

  [[nodiscard]] std::vector<DeliveryInfo> mails() {
    return store_.bus()
        .list({.handler = "mail", .limit = 10'000, .detail = Detail::with_event})
        .items;
  }
  [[nodiscard]] std::string events() const {
    return schema_.ask("select count(*) from " + schema_.name() + ".\"it's \"\"mine\"\" events\"");
  }
  /// Publishes in a transaction of its own, which is not committed.
  template <typename Call>
  [[nodiscard]] std::optional<Error> refusal(Call call) {
    pqxx::work transaction{connection_};
    try {
      call(transaction);
      return std::nullopt;
    } catch (const Error& error) {
      return error;
    }
  }
  [[nodiscard]] std::optional<Error> refusal_of(const Event& event) {
    return refusal([&](pqxx::work& transaction) { publisher_.publish(transaction, event); });
  }

  test::TestSchema schema_;
  PostgresStore store_{
      {.connection = schema_.url(), .schema = schema_.name(), .prefix = "it's \"mine\" "}};
  pqxx::connection connection_{schema_.url()};
  PqxxPublisher publisher_{{.schema = schema_.name(), .prefix = "it's \"mine\" "}};
};

TEST_F(PqxxTest, AnEventExistsWhenTheTransactionCommits) {
  pqxx::work transaction{connection_};
  const EventId id =
      publisher_.publish(transaction, {.type = "order.paid",
                                       .key = "order-'4\\2'",
                                       .payload = std::string("\0\xFF'\\", 4),
                                       .content_type = "application/octet-stream",
                                       .headers = {{"trace", "it's \"é\" \\"}, {"empty", ""}}});
  EXPECT_EQ(events(), "0");
  transaction.commit();

  ASSERT_EQ(mails().size(), 1U);
  const Event event = *mails().front().event;
  EXPECT_EQ(event.id, id);
  EXPECT_EQ(event.type, "order.paid");
  EXPECT_EQ(event.key, "order-'4\\2'");
  EXPECT_EQ(event.payload, std::string("\0\xFF'\\", 4));
  EXPECT_EQ(event.content_type, "application/octet-stream");
  EXPECT_EQ(event.headers, (Headers{{"trace", "it's \"é\" \\"}, {"empty", ""}}));
}

TEST_F(PqxxTest, AnEventNeverWasWhenTheTransactionRollsBack) {
  {
    pqxx::work transaction{connection_};
    publisher_.publish(transaction, {.type = "order.paid"});
    EXPECT_EQ(
        transaction
            .exec1("select count(*) from " + schema_.name() + ".\"it's \"\"mine\"\" events\"")[0]
            .as<int>(),
        1);
  }
  EXPECT_EQ(events(), "0");
}

TEST_F(PqxxTest, ABatchAnswersForEachEventInOrder) {
  const EventId id = EventId::generate();
  const std::vector<Event> batch{{.type = "order.paid", .id = id},
                                 {.type = "nobody.cares"},
                                 {.type = "order.paid", .id = id},
                                 {.type = "order.sent", .key = "k"}};

  pqxx::work transaction{connection_};
  const std::vector<Published> published = publisher_.publish(transaction, batch);
  transaction.commit();

  ASSERT_EQ(published.size(), 4U);
  EXPECT_EQ(published[0].id, id);
  EXPECT_EQ(published[0].status, PublishStatus::created);
  EXPECT_THAT(published[0].handlers, ElementsAre("mail", "say \"hi\", {}\\"));
  EXPECT_EQ(published[1].status, PublishStatus::created);
  EXPECT_THAT(published[1].handlers, ElementsAre());
  EXPECT_EQ(published[2].id, id);
  EXPECT_EQ(published[2].status, PublishStatus::duplicate);
  EXPECT_THAT(published[2].handlers, ElementsAre());
  EXPECT_THAT(published[3].handlers, ElementsAre("mail"));
  EXPECT_EQ(events(), "3");
}

TEST_F(PqxxTest, ABatchOfNoneAsksNothingOfTheServer) {
  pqxx::nontransaction transaction{connection_};
  const PqxxPublisher nowhere{{.schema = "nowhere"}};

  EXPECT_TRUE(nowhere.publish(transaction, std::span<const Event>{}).empty());
}

TEST_F(PqxxTest, ALargeBatchKeepsItsOrder) {
  std::vector<Event> batch;
  for (int i = 1; i <= 2'500; ++i) {
    batch.push_back({.type = "order.paid", .key = "k", .payload = std::to_string(i)});
  }
  batch[700].payload.resize(limits::kPayloadBytes);

  pqxx::work transaction{connection_};
  const std::vector<Published> published = publisher_.publish(transaction, batch);
  transaction.commit();

  const std::vector<DeliveryInfo> found = mails();
  ASSERT_EQ(found.size(), batch.size());
  ASSERT_EQ(published.size(), batch.size());
  for (const DeliveryInfo& delivery : found) {
    const auto place = static_cast<std::size_t>(delivery.sequence.value() - 1);
    ASSERT_EQ(delivery.event->payload, batch.at(place).payload);
    ASSERT_EQ(delivery.event_id, published.at(place).id);
  }
}

TEST_F(PqxxTest, RefusesWhatBreaksALimit) {
  const std::optional<Error> error = refusal_of({.type = "order.*"});

  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_EQ(error->store_code(), "PS001");
  EXPECT_STREQ(error->what(),
               "type must be segments between dots, without \"*\", which stands for any in a "
               "pattern only; found \"order.*\"");
  EXPECT_EQ(events(), "0");
}

TEST_F(PqxxTest, NamesTheEventOfABatchThatItRefuses) {
  std::vector<Event> batch(1'010, Event{.type = "order.paid"});
  batch.at(1'004).key = "";

  const std::optional<Error> error =
      refusal([&](pqxx::work& transaction) { publisher_.publish(transaction, batch); });

  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_THAT(error->what(), HasSubstr("in the events from number 1001 on: event 5: key"));
  EXPECT_EQ(events(), "0");
}

TEST_F(PqxxTest, RefusesTextsThatPostgresCannotStore) {
  const std::string with_nul("a\0b", 3);
  const std::string no_utf8("a\xFF");
  const std::vector<std::pair<std::string, Event>> refused{
      {"type must not contain a NUL", {.type = with_nul}},
      {"key must not contain a NUL", {.type = "a", .key = with_nul}},
      {"content_type must not contain a NUL", {.type = "a", .content_type = with_nul}},
      {"headers must not contain a NUL", {.type = "a", .headers = {{"n", with_nul}}}},
      {"headers must not contain a NUL", {.type = "a", .headers = {{with_nul, "v"}}}},
      {"key must be valid UTF-8", {.type = "a", .key = no_utf8}},
  };
  for (const auto& [message, event] : refused) {
    const std::optional<Error> error = refusal_of(event);
    ASSERT_TRUE(error) << message;
    EXPECT_EQ(error->kind(), ErrorKind::usage);
    EXPECT_EQ(error->what(), message);
  }
}

TEST_F(PqxxTest, TellsThatTheTablesAreMissing) {
  for (const PqxxPublisher& elsewhere :
       {PqxxPublisher{{.schema = "nowhere"}}, PqxxPublisher{{.schema = schema_.name()}}}) {
    const std::optional<Error> error = refusal([&](pqxx::work& transaction) {
      elsewhere.publish(transaction, Event{.type = "order.paid"});
    });

    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::schema);
    EXPECT_THAT(error->what(), HasSubstr("run `penstock setup`"));
  }
}

TEST_F(PqxxTest, LeavesOtherFailuresToPqxx) {
  pqxx::read_transaction transaction{connection_};

  EXPECT_THROW(publisher_.publish(transaction, Event{.type = "order.paid"}), pqxx::sql_error);
}

}  // namespace
}  // namespace penstock::postgres

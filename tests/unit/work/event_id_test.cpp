// UUIDs: read, written, drawn and derived.
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "penstock/ids.hpp"

namespace penstock {
namespace {

TEST(EventId, ReadsBothCasesAndWritesLowerCase) {
  const auto id = EventId::parse("0190A5B2-c3d4-7EF0-8123-456789abcdef");

  ASSERT_TRUE(id);
  EXPECT_EQ(id->to_string(), "0190a5b2-c3d4-7ef0-8123-456789abcdef");
}

TEST(EventId, RefusesWhatIsNotAUuid) {
  for (const char* text :
       {"", "0190a5b2", "0190a5b2-c3d4-7ef0-8123-456789abcdeg",
        "0190a5b2c3d4-7ef0-8123-456789abcdef0", "0190a5b2-c3d4-7ef0-8123-456789abcdef0",
        "{190a5b2-c3d4-7ef0-8123-456789abcde}"}) {
    EXPECT_FALSE(EventId::parse(text)) << text;
  }
}

TEST(EventId, DrawsVersionSevenWithTheTimeInFront) {
  using std::chrono::milliseconds;
  const auto before =
      std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());

  const EventId id = EventId::generate();

  std::int64_t millis = 0;
  for (std::size_t i = 0; i < 6; ++i) millis = millis * 256 + id.bytes()[i];
  EXPECT_GE(millis, before.count());
  EXPECT_LT(millis, before.count() + 60'000);
  EXPECT_EQ(id.bytes()[6] >> 4, 7);
  EXPECT_EQ(id.bytes()[8] >> 6, 2);
}

TEST(EventId, DrawsNoIdTwice) {
  std::set<EventId> ids;
  for (int i = 0; i < 10'000; ++i) ids.insert(EventId::generate());

  EXPECT_EQ(ids.size(), 10'000U);
}

TEST(EventId, DerivesTheSameIdFromTheSameForeignId) {
  const EventId id = EventId::from_foreign("orders-queue", "msg-1");

  // Fixed for ever: another value would make every redelivered message a new event.
  EXPECT_EQ(id.to_string(), "25d910f7-0843-532b-96c7-f835cd118a14");
  EXPECT_EQ(id, EventId::from_foreign("orders-queue", "msg-1"));
  EXPECT_EQ(id.bytes()[6] >> 4, 5);
}

TEST(EventId, KeepsSourcesApart) {
  EXPECT_NE(EventId::from_foreign("a", "bc"), EventId::from_foreign("ab", "c"));
  EXPECT_NE(EventId::from_foreign("a", "x"), EventId::from_foreign("b", "x"));
}

TEST(WorkerId, DiffersBetweenIncarnationsOfOneName) {
  const WorkerId first = WorkerId::incarnation_of("pod-1");
  const WorkerId second = WorkerId::incarnation_of("pod-1");

  EXPECT_NE(first, second);
  EXPECT_TRUE(first.value().starts_with("pod-1/"));
}

}  // namespace
}  // namespace penstock

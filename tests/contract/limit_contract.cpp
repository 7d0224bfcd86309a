// Limits: bytes, not characters. Beyond one: usage, naming the field, and nothing is written.
#include <functional>
#include <random>

#include "contract/contract.hpp"

namespace penstock::contract {

namespace {

std::string of_bytes(std::size_t size) { return std::string(size, 'x'); }

/// Two-byte characters, and one of one byte where `size` is odd.
std::string of_wide_bytes(std::size_t size) {
  std::string text = size % 2 == 1 ? "x" : "";
  while (text.size() < size) text += "é";
  return text;
}

const std::string kInvalid[] = {"\xFF", "a\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80",
                                "\xE6\x97"};

void expect_limit(BusStore& bus, std::size_t limit, std::string_view field,
                  const std::function<Event(std::string)>& event_of) {
  const auto refusal_at = [&](const std::string& text) {
    const Event event = event_of(text);
    return refusal_of([&] { bus.publish({&event, 1}, nullptr); });
  };
  for (const auto& text_of : {of_bytes, of_wide_bytes}) {
    EXPECT_FALSE(refusal_at(text_of(limit - 1)));
    EXPECT_FALSE(refusal_at(text_of(limit)));
    const std::int64_t events = bus.statistics().events;

    const auto refusal = refusal_at(text_of(limit + 1));

    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
    EXPECT_EQ(refusal->field, field);
    EXPECT_EQ(refusal->limit, limit);
    EXPECT_EQ(bus.statistics().events, events);
  }
}

}  // namespace

TEST_P(LimitContract, OfAType) {
  expect_limit(bus(), limits::kTypeBytes, "type",
               [](std::string text) { return Event{.type = std::move(text)}; });
}

TEST_P(LimitContract, OfAKey) {
  expect_limit(bus(), limits::kKeyBytes, "key",
               [](std::string text) { return keyed(std::move(text)); });
}

TEST_P(LimitContract, OfAContentType) {
  expect_limit(bus(), limits::kContentTypeBytes, "content_type", [](std::string text) {
    return Event{.type = "t", .content_type = std::move(text)};
  });
}

TEST_P(LimitContract, OfHeadersTogether) {
  // The two names take a byte each of the limit.
  expect_limit(bus(), limits::kHeadersBytes, "headers", [](const std::string& text) {
    const std::string value = of_wide_bytes(text.size() - 2);
    return Event{.type = "t", .headers = {{"n", ""}, {"m", value}}};
  });
}

TEST_P(LimitContract, OfAHandler) {
  for (const std::size_t size : {limits::kHandlerBytes - 1, limits::kHandlerBytes}) {
    EXPECT_FALSE(refusal_of([&] { subscribe(of_wide_bytes(size)); }));
  }
  const auto refusal = refusal_of([&] { subscribe(of_wide_bytes(limits::kHandlerBytes + 1)); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_EQ(refusal->field, "handler");
  EXPECT_EQ(bus().subscriptions().size(), 2U);
}

// Known fault 133.
TEST_P(LimitContract, OfAPayload) {
  start({.max_payload = 100'000});
  subscribe("h");
  for (const std::size_t size : {99'999U, 100'000U}) {
    publish({.type = "t", .payload = of_bytes(size)});
  }

  const auto refusal = refusal_of([&] { publish({.type = "t", .payload = of_bytes(100'001)}); });

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::usage);
  EXPECT_EQ(refusal->field, "payload");
  EXPECT_EQ(refusal->limit, 100'000U);
  std::vector<std::size_t> sizes;
  for (const Work& work : claim().work) sizes.push_back(work.event->payload.size());
  EXPECT_THAT(sizes, ::testing::UnorderedElementsAre(99'999U, 100'000U));
}

TEST_P(LimitContract, EmptyTextsAreRefused) {
  for (const Event& event : {Event{.type = ""}, keyed(""), Event{.type = "t", .content_type = ""},
                             Event{.type = "t", .headers = {{"", "x"}}}}) {
    const auto refusal = refusal_of([&] { publish(event); });
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
  }
  EXPECT_TRUE(refusal_of([&] { subscribe(""); }));
  EXPECT_TRUE(refusal_of([&] { bus().subscribe({.handler = "h"}); }));
  EXPECT_EQ(bus().statistics().events, 0);
}

TEST_P(LimitContract, NulsAndInvalidUtf8AreRefusedInEveryText) {
  std::vector<std::string> texts(std::begin(kInvalid), std::end(kInvalid));
  texts.emplace_back("a\0b", 3);
  texts.emplace_back("\0", 1);
  for (const std::string& text : texts) {
    for (const Event& event :
         {Event{.type = text}, keyed(text), Event{.type = "t", .content_type = text},
          Event{.type = "t", .headers = {{text, "x"}}},
          Event{.type = "t", .headers = {{"n", text}}}}) {
      const auto refusal = refusal_of([&] { publish(event); });
      ASSERT_TRUE(refusal);
      EXPECT_EQ(refusal->kind, ErrorKind::usage);
    }
    EXPECT_TRUE(refusal_of([&] { subscribe(text); }));
    EXPECT_TRUE(refusal_of([&] { subscribe("h", text); }));
  }
  EXPECT_EQ(bus().statistics().events, 0);
  EXPECT_TRUE(bus().subscriptions().empty());
}

TEST_P(LimitContract, MalformedTypesAreRefused) {
  for (const char* type : {".", ".a", "a.", "a..b", "*", "a.*", "a*b", "a\tb", "a\n", "a\x7F",
                           "a\xC2\x85", " a", "a ", "a. b", "a .b"}) {
    const auto refusal = refusal_of([&] { publish_type(type); });
    ASSERT_TRUE(refusal) << type;
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
    EXPECT_EQ(refusal->field, "type");
  }
  EXPECT_EQ(bus().statistics().events, 0);
}

TEST_P(LimitContract, TypesFromElsewhereAreTaken) {
  for (const char* type :
       {"a", "projects_v2_item.created", "repository_dispatch.on-demand-test", "Order/Paid:v2",
        "order paid", "repository_dispatch.run my tests", "bestellung.ausgeführt", "注文.支払い"}) {
    EXPECT_FALSE(refusal_of([&] { publish_type(type); })) << type;
    EXPECT_FALSE(refusal_of([&] { subscribe("h", type); })) << type;
    EXPECT_FALSE(refusal_of([&] { subscribe("h", std::string(type) + ".*"); })) << type;
  }
}

TEST_P(LimitContract, MalformedPatternsAreRefused) {
  for (const char* pattern : {"", "a*", "*.a", "a.*.b", "**", ".*", ".", ".a", "a.", "a..b", "a..*",
                              ".a.*", " a", "a ", " a.*", "a\t.*", "* "}) {
    const auto refusal = refusal_of([&] { subscribe("h", pattern); });
    ASSERT_TRUE(refusal) << pattern;
    EXPECT_EQ(refusal->kind, ErrorKind::usage);
    EXPECT_EQ(refusal->field, "types");
  }
}

TEST_P(LimitContract, AHandlerNeedsAtLeastOneAttempt) {
  EXPECT_TRUE(refusal_of([&] { subscribe("h", "*", 0); }));
  EXPECT_TRUE(refusal_of([&] { subscribe("h", "*", -1); }));
  EXPECT_FALSE(refusal_of([&] { subscribe("h", "*", 1); }));
}

TEST_P(LimitContract, PayloadsAreBytes) {
  subscribe("h");
  std::string every_byte;
  for (int i = 0; i < 256; ++i) every_byte += static_cast<char>(i);
  for (const std::string& payload : {std::string(), std::string(3, '\0'), every_byte}) {
    publish({.type = "t", .payload = payload});

    const Work work = claim_one();
    EXPECT_EQ(work.event->payload, payload);
    EXPECT_EQ(complete(work.token), Verdict::done);
  }
}

TEST_P(LimitContract, SixteenMebibytesOfRandomBytesComeBackUnchanged) {
  subscribe("h");
  std::string payload(limits::kPayloadBytes, '\0');
  std::mt19937_64 random(42);
  for (char& byte : payload) byte = static_cast<char>(random());
  publish({.type = "t", .payload = payload});

  EXPECT_TRUE(claim_one().event->payload == payload) << "not printed, for its size";

  const auto refusal = refusal_of([&] { publish({.type = "t", .payload = payload + "x"}); });
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->limit, limits::kPayloadBytes);
}

// Known fault 131.
TEST_P(LimitContract, AKeyAtItsLimitCanBeClaimedRetriedAndBuried) {
  subscribe(of_wide_bytes(limits::kHandlerBytes));
  const ClaimWish wish{.handlers = {of_wide_bytes(limits::kHandlerBytes)}};
  publish_key(of_wide_bytes(limits::kKeyBytes), 2);

  EXPECT_EQ(retry(claim_one(wish).token, 0s, of_bytes(1'000'000)), Verdict::done);
  EXPECT_EQ(bury(claim_one(wish).token, of_bytes(1'000'000)), Verdict::done);
  EXPECT_EQ(complete(claim_one(wish).token), Verdict::done);
}

}  // namespace penstock::contract

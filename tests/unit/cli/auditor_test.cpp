// Every part of the demo's verdict can fail, and fails for its own reason only.
#include "demo/auditor.hpp"

#include <gtest/gtest.h>

namespace penstock::cli::demo {
namespace {

EventId id(std::uint8_t number) {
  EventId::Bytes bytes{};
  bytes.back() = number;
  return EventId{bytes};
}

HandledRecord handled(std::uint8_t number, std::int64_t at, const std::string& handler = "audit") {
  return {.handler = handler, .id = id(number), .at_ns = at, .latency_us = at * 1000};
}

/// Three events of one key and one without, all handled in order by the one handler.
Evidence flawless() {
  return {.handlers = {{"audit", {"*"}}},
          .published = {{id(1), "issues.opened", "repository"},
                        {id(2), "issues.closed", "repository"},
                        {id(3), "push", "repository"},
                        {id(4), "ping", std::nullopt}},
          .handled = {handled(1, 10), handled(2, 20), handled(3, 30), handled(4, 5)}};
}

TEST(Auditor, FindsNothingInAFlawlessRun) {
  const Verdict verdict = audit(flawless());

  EXPECT_TRUE(verdict.is_good());
  EXPECT_EQ(verdict.deliveries, 4);
  EXPECT_EQ(verdict.handled, 4);
  EXPECT_EQ(verdict.duplicates, 0);
}

TEST(Auditor, CountsAnUnhandledEventAsLost) {
  Evidence evidence = flawless();
  evidence.handled.pop_back();

  const Verdict verdict = audit(evidence);

  EXPECT_EQ(verdict.lost, 1);
  EXPECT_EQ(verdict.handled, 3);
  EXPECT_FALSE(verdict.is_good());
}

TEST(Auditor, CountsWhatOneOfTwoHandlersMissedAsLost) {
  Evidence evidence = flawless();
  evidence.handlers.push_back({"notify", {"issues.*"}});
  evidence.handled.push_back(handled(1, 11, "notify"));

  EXPECT_EQ(audit(evidence).lost, 1);
}

TEST(Auditor, DoesNotCountADeadLetterAsLost) {
  Evidence evidence = flawless();
  evidence.handled.pop_back();
  evidence.dead.insert({"audit", id(4)});

  const Verdict verdict = audit(evidence);

  EXPECT_EQ(verdict.lost, 0);
  EXPECT_EQ(verdict.dead, 1);
  EXPECT_TRUE(verdict.is_good());
}

TEST(Auditor, CountsAnEventThatWasNeverPublishedAsUnexpected) {
  Evidence evidence = flawless();
  evidence.handled.push_back(handled(9, 40));

  const Verdict verdict = audit(evidence);

  EXPECT_EQ(verdict.unexpected, 1);
  EXPECT_FALSE(verdict.is_good());
}

TEST(Auditor, CountsAnEventThatItsHandlerDidNotWantAsUnexpected) {
  Evidence evidence = flawless();
  evidence.handlers.push_back({"notify", {"star.*"}});
  evidence.handled.push_back(handled(1, 40, "notify"));

  EXPECT_EQ(audit(evidence).unexpected, 1);
}

TEST(Auditor, CountsAFirstHandlingBeforeThatOfItsPredecessor) {
  Evidence evidence = flawless();
  evidence.handled[1].at_ns = 35;

  const Verdict verdict = audit(evidence);

  EXPECT_EQ(verdict.order_violations, 1);
  EXPECT_FALSE(verdict.is_good());
}

TEST(Auditor, CountsAHandlingBehindAnUnfinishedPredecessorAsDisorder) {
  Evidence evidence = flawless();
  evidence.handled.erase(evidence.handled.begin());

  EXPECT_EQ(audit(evidence).order_violations, 2);
}

TEST(Auditor, LetsADeadLetterBeOvertakenByItsKey) {
  Evidence evidence = flawless();
  evidence.handled.erase(evidence.handled.begin());
  evidence.dead.insert({"audit", id(1)});

  EXPECT_EQ(audit(evidence).order_violations, 0);
}

TEST(Auditor, JudgesOrderByTheFirstHandlingOnly) {
  Evidence evidence = flawless();
  evidence.handled.push_back(handled(1, 25));

  const Verdict verdict = audit(evidence);

  EXPECT_EQ(verdict.order_violations, 0);
  EXPECT_EQ(verdict.duplicates, 1);
  EXPECT_TRUE(verdict.is_good());
}

TEST(Auditor, JudgesOrderOfEachHandlerAlone) {
  Evidence evidence = flawless();
  evidence.handlers.push_back({"notify", {"issues.*"}});
  evidence.handled.push_back(handled(1, 50, "notify"));
  evidence.handled.push_back(handled(2, 60, "notify"));

  EXPECT_EQ(audit(evidence).order_violations, 0);
}

TEST(Auditor, IsNotContentWhileSomethingIsPending) {
  Evidence evidence = flawless();
  evidence.pending = 1;

  EXPECT_FALSE(audit(evidence).is_good());
}

TEST(Auditor, GivesPercentilesOfTheFirstHandlings) {
  Evidence evidence{.handlers = {{"audit", {"*"}}}};
  for (std::uint8_t i = 1; i <= 100; ++i) {
    evidence.published.push_back({id(i), "ping", std::nullopt});
    evidence.handled.push_back(handled(i, i));
  }

  const Verdict verdict = audit(evidence);

  EXPECT_DOUBLE_EQ(verdict.p50_ms, 50);
  EXPECT_DOUBLE_EQ(verdict.p95_ms, 95);
  EXPECT_DOUBLE_EQ(verdict.p99_ms, 99);
}

TEST(AuditorPatterns, WantWhatTheyName) {
  EXPECT_TRUE(wants("*", "a"));
  EXPECT_TRUE(wants("a.b", "a.b"));
  EXPECT_TRUE(wants("a.*", "a.b"));
  EXPECT_TRUE(wants("a.*", "a.b.c"));
}

TEST(AuditorPatterns, DoNotWantWhatOnlyLooksAlike) {
  EXPECT_FALSE(wants("a.b", "a.bc"));
  EXPECT_FALSE(wants("a.*", "a"));
  EXPECT_FALSE(wants("a.*", "a."));
  EXPECT_FALSE(wants("a.*", "ab.c"));
}

}  // namespace
}  // namespace penstock::cli::demo

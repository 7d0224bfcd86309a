// What the verdict on a run says, for every way in which a run can go wrong.
#include "harness/verdict.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace penstock::bench {
namespace {

/// Handled or published one after the other.
std::vector<Record> records(const std::vector<std::uint32_t>& numbers) {
  std::vector<Record> made;
  std::int64_t at = 0;
  for (const std::uint32_t number : numbers) made.push_back({.number = number, .at_ns = ++at});
  return made;
}

Verdict judge_numbers(const std::vector<std::uint32_t>& published,
                      const std::vector<std::uint32_t>& handled, const Leftover& leftover = {}) {
  return judge(records(published), records(handled), {.keys = Keys::one}, leftover);
}

TEST(Verdict, IsExactWhereAllWasHandledInOrder) {
  const Verdict verdict = judge_numbers({1, 2, 3}, {1, 2, 3});

  EXPECT_TRUE(verdict.exact());
  EXPECT_EQ(verdict.to_string(), "exact");
}

TEST(Verdict, TakesWhatIsPendingForNeitherLostNorDone) {
  EXPECT_TRUE(judge_numbers({1, 2, 3}, {1}, {.pending = 2}).exact());
}

TEST(Verdict, FindsWhatIsNeitherHandledNorPending) {
  EXPECT_EQ(judge_numbers({1, 2, 3}, {1}, {.pending = 1}).handled.lost, 1U);
}

TEST(Verdict, FindsWhatIsPendingAlthoughItWasHandled) {
  EXPECT_EQ(judge_numbers({1, 2}, {1, 2}, {.pending = 1}).pending, 1U);
}

TEST(Verdict, FindsWhatWasHandledTwice) {
  EXPECT_EQ(judge_numbers({1, 2}, {1, 2, 1}).to_string(), "duplicates 1");
}

TEST(Verdict, FindsWhatNobodyPublished) {
  EXPECT_EQ(judge_numbers({1}, {1, 7}).to_string(), "unexpected 1");
}

TEST(Verdict, FindsDeadLetters) {
  EXPECT_EQ(judge_numbers({1}, {1}, {.dead = 1}).to_string(), "dead 1");
}

TEST(Verdict, JudgesTheOrderOfAKeyByTime) {
  std::vector<Record> handled = records({1, 2, 3});
  std::swap(handled[0].at_ns, handled[2].at_ns);

  const Verdict verdict = judge(records({1, 2, 3}), handled, {.keys = Keys::one}, {});

  EXPECT_EQ(verdict.handled.order_violations, 2U);
}

TEST(Verdict, LetsARepeatPassWhereOneIsAllowed) {
  const Rules rules{.keys = Keys::one, .repeats = Repeats::allowed};

  const Verdict verdict = judge(records({1, 2}), records({1, 2, 1}), rules, {});

  EXPECT_TRUE(verdict.exact());
  EXPECT_EQ(verdict.handled.duplicates, 1U);
}

TEST(Verdict, LetsNothingElsePassWhereRepeatsAreAllowed) {
  const Rules rules{.keys = Keys::one, .repeats = Repeats::allowed};

  EXPECT_EQ(judge(records({1, 2}), records({1, 1}), rules, {}).to_string(), "lost 1");
  EXPECT_EQ(judge(records({1, 2}), records({2, 1}), rules, {}).to_string(), "order violations 1");
  // One was handled and the other is pending, or the other way round: nobody can tell.
  EXPECT_EQ(judge(records({1, 2}), records({1}), rules, {.pending = 1}).to_string(),
            "pending too many 1");
}

TEST(Verdict, KnowsNoOrderBetweenKeys) {
  EXPECT_TRUE(judge(records({1, 2}), records({2, 1}), {.keys = Keys::two_hundred}, {}).exact());
}

}  // namespace
}  // namespace penstock::bench

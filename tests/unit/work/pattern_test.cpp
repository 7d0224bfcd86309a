// Patterns of event types.
#include "work/pattern.hpp"

#include <gtest/gtest.h>

#include "penstock/error.hpp"

namespace penstock::work {
namespace {

TEST(Pattern, MatchesExactly) {
  EXPECT_TRUE(matches("order.paid", "order.paid"));
  EXPECT_FALSE(matches("order.paid", "order.paid.late"));
  EXPECT_FALSE(matches("order.paid", "order"));
}

TEST(Pattern, MatchesOneOrMoreFurtherSegments) {
  EXPECT_TRUE(matches("order.*", "order.paid"));
  EXPECT_TRUE(matches("order.*", "order.paid.late"));
  EXPECT_FALSE(matches("order.*", "order"));
  EXPECT_FALSE(matches("order.*", "order."));
  EXPECT_FALSE(matches("order.*", "orders.paid"));
}

TEST(Pattern, MatchesEverything) { EXPECT_TRUE(matches("*", "anything.at.all")); }

TEST(Pattern, RefusesOtherForms) {
  for (const char* bad : {"", "*.paid", "order.*.late", "ord*", ".*", "**", "order.**", "order.",
                          ".order", "a..b", "a..*", "a. b", " a.*", "a\n"}) {
    EXPECT_THROW(check_pattern(bad), Error) << bad;
  }
  for (const char* good : {"*", "order", "order.*", "a.b.*", "on demand.run it"}) {
    EXPECT_NO_THROW(check_pattern(good)) << good;
  }
}

}  // namespace
}  // namespace penstock::work

// Quoting, and names put into SQL text.
#include "store/postgres/names.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "penstock/error.hpp"

namespace penstock::postgres::detail {
namespace {

const Names kPlain{"penstock", ""};
const Names kOdd{"My \"schema\"", "pre'fix\\_"};

TEST(Names, QuoteIdentifiersWhateverTheyContain) {
  EXPECT_EQ(quoted_identifier("penstock"), R"("penstock")");
  EXPECT_EQ(quoted_identifier(R"(a"; drop table x; --)"), R"("a""; drop table x; --")");
  EXPECT_EQ(quoted_identifier("日本"), R"("日本")");
}

TEST(Names, QuoteLiteralsForEverySetting) {
  EXPECT_EQ(quoted_literal("it's"), "'it''s'");
  EXPECT_EQ(quoted_literal(R"(a\' or 1=1)"), R"( E'a\\'' or 1=1')");
}

TEST(Names, PutSchemaAndPrefixIntoText) {
  EXPECT_EQ(kPlain.render(R"(select 1 from :"schema".:"lanes")"),
            R"(select 1 from "penstock"."lanes")");
  EXPECT_EQ(kOdd.render(R"(select 1 from :"schema".:"lanes")"),
            R"(select 1 from "My ""schema"""."pre'fix\_lanes")");
  EXPECT_EQ(kOdd.qualified("lanes"), R"("My ""schema"""."pre'fix\_lanes")");
}

TEST(Names, PutNamesInAsLiteralsToo) {
  EXPECT_EQ(kPlain.render("select :'schema', :'meta'"), "select 'penstock', 'meta'");
  EXPECT_EQ(kOdd.render("select :'meta'"), R"(select  E'pre''fix\\_meta')");
}

TEST(Names, ReachIntoFunctionBodiesOnly) {
  EXPECT_EQ(kPlain.render(R"(as $body$ select :"schema".:"now"() $body$)"),
            R"(as $body$ select "penstock"."now"() $body$)");
  const std::string untouched = R"sql(select ':"schema"', ":'x'", a::"b", c[1:2], x /* :"y" */
-- :"schema"
)sql";
  EXPECT_EQ(kPlain.render(untouched), untouched);
}

TEST(Names, LeaveOutTheHeading) {
  EXPECT_EQ(kPlain.render("-- Purpose: none.\n/* nor /* this */ */\nselect 1 -- but this\n"),
            "select 1 -- but this\n");
}

TEST(Names, EndAtTheEndOfTheText) {
  for (const char* text :
       {"", "select '", "select :\"", "select :\"a", "a /* b", "--", ":", "::"}) {
    EXPECT_NO_THROW((void)kPlain.render(text)) << text;
  }
}

// Known fault 127.
TEST(Names, RefuseWhatPostgresqlWouldCutOrABodyWouldEndAt) {
  const std::vector<std::string> bad{"",       std::string(64, 'x'),  "a\nb",    "a$$b",
                                     "a$body", std::string("a\0", 2), "\xFFutf", "\x7F"};
  for (const std::string& name : bad) {
    EXPECT_THROW((Names{name, ""}), Error) << name;
  }
  EXPECT_THROW((Names{"penstock", std::string(34, 'x')}), Error);
  EXPECT_THROW((Names{"penstock", "$"}), Error);
  EXPECT_NO_THROW((Names{std::string(63, 'x'), std::string(33, 'x')}));
}

TEST(Names, LockEachStoreByItself) {
  EXPECT_EQ(kPlain.setup_lock(), (Names{"penstock", ""}.setup_lock()));
  EXPECT_NE((Names{"a", "b"}.setup_lock()), (Names{"ab", ""}.setup_lock()));
  EXPECT_NE((Names{"a", "b"}.setup_lock()), (Names{"b", "a"}.setup_lock()));
}

}  // namespace
}  // namespace penstock::postgres::detail

// Values as text, and text made safe.
#include "output/text.hpp"

#include <gtest/gtest.h>

#include "output/json.hpp"
#include "output/shell.hpp"
#include "output/table.hpp"

namespace penstock::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Text, ReadsDurations) {
  EXPECT_EQ(parse_duration("250ms"), milliseconds{250});
  EXPECT_EQ(parse_duration("30s"), seconds{30});
  EXPECT_EQ(parse_duration("5m"), std::chrono::minutes{5});
  EXPECT_EQ(parse_duration("7d"), std::chrono::days{7});
  EXPECT_EQ(parse_duration("0"), Duration{0});
}

TEST(Text, RefusesWhatIsNoDuration) {
  for (const char* const text : {"", "s", "5", "-1s", "1.5s", "5 s", "5y", "99999999999999999999s",
                                 "9223372036854775807d"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Text, WritesTimesInUtc) {
  EXPECT_EQ(iso_time(Timestamp{Duration{1'770'076'800'000'001}}), "2026-02-03T00:00:00.000001Z");
}

TEST(Text, MakesControlCharactersVisible) {
  EXPECT_EQ(printable("a\x1b[31m\n\x7f"), "a\\x1b[31m\\n\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");
  EXPECT_EQ(printable("日本 \xff"), "日本 \\xff");
}

TEST(Text, ShowsAStoreUrlWithoutItsPassword) {
  EXPECT_EQ(without_password("postgresql://u:s3:cret@db:5432/x?schema=s"),
            "postgresql://u:…@db:5432/x?schema=s");
  EXPECT_EQ(without_password("postgresql://u@db/x"), "postgresql://u@db/x");
  EXPECT_EQ(without_password("postgresql:///x?user=u&password=secret&port=1"),
            "postgresql:///x?user=u&password=…&port=1");
  EXPECT_EQ(without_password("postgresql://db:5432/x@y"), "postgresql://db:5432/x@y");
  EXPECT_EQ(without_password("sqlite:a:b@c.db"), "sqlite:a:b@c.db");
  EXPECT_EQ(without_password("postgresql:///x?sslpassword=one&password=two"),
            "postgresql:///x?sslpassword=…&password=…");
}

TEST(Shell, LeavesAWordThatNeedsNoQuotes) {
  EXPECT_EQ(shell_word("sqlite:orders.db"), "sqlite:orders.db");
  EXPECT_EQ(shell_word("postgresql://u@db.example:5432/x"), "postgresql://u@db.example:5432/x");
}

TEST(Shell, QuotesWhatTheShellWouldTakeApart) {
  EXPECT_EQ(shell_word("my orders.db"), "'my orders.db'");
  EXPECT_EQ(shell_word("order.*"), "'order.*'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("~/o.db"), "'~/o.db'");
}

TEST(Shell, GivesUrlsToPasteWithAWordForThePassword) {
  EXPECT_EQ(url_to_paste("sqlite:o.db"), "sqlite:o.db");
  EXPECT_EQ(url_to_paste("postgresql://u:s3cret@db/x?schema=s"),
            "'postgresql://u:YOUR_PASSWORD@db/x?schema=s'");
  EXPECT_EQ(url_to_paste("postgresql:///x?password=s3cret"),
            "'postgresql:///x?password=YOUR_PASSWORD'");
}

TEST(Text, ShortensByCharactersNotBytes) {
  EXPECT_EQ(shortened("日本語", 3), "日本語");
  EXPECT_EQ(shortened("日本語の", 3), "日本…");
}

TEST(Table, AlignsColumnsByCharacters) {
  Table table{{{"name"}, {"n", Table::Align::right}}};
  table.add({"日本", "1"});
  table.add({"abcde", "10"});

  EXPECT_EQ(table.text(), "name    n\n日本      1\nabcde  10\n");
}

TEST(Json, KeepsTheOrderOfMembersAndEscapes) {
  const Json json = Json::object().set("b", "x\"\n").set("a", 1).set("c", Json::array().push(true));

  EXPECT_EQ(json.text(), R"({"b":"x\"\n","a":1,"c":[true]})");
}

TEST(Json, ReplacesInvalidUtf8) { EXPECT_EQ(Json("\xff").text(), "\"\xef\xbf\xbd\""); }

TEST(Json, WritesAnAbsentValueAsNull) {
  EXPECT_EQ(Json(std::optional<std::string>{}).text(), "null");
}

}  // namespace
}  // namespace penstock::cli

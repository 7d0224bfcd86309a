// Arguments at the public edge.
#include "work/check.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace penstock::work {
namespace {

using std::string_literals::operator""s;

// The field that was refused, or "" where nothing was.
std::string refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.field();
  }
  return "";
}

Event valid() { return {.type = "order.paid", .key = "k", .payload = "{}"}; }

TEST(CheckText, TakesOneByteUpToTheLimit) {
  EXPECT_EQ(refused([] { check_text("f", "x", 3); }), "");
  EXPECT_EQ(refused([] { check_text("f", "xyz", 3); }), "");
  EXPECT_EQ(refused([] { check_text("f", "wxyz", 3); }), "f");
  EXPECT_EQ(refused([] { check_text("f", "", 3); }), "f");
}

TEST(CheckText, CountsBytesNotCharacters) {
  EXPECT_EQ(refused([] { check_text("f", "éé", 4); }), "");
  EXPECT_EQ(refused([] { check_text("f", "ééé", 4); }), "f");
}

TEST(CheckText, NamesTheLimit) {
  try {
    check_text("key", "toolong", 3);
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.limit(), 3U);
    EXPECT_EQ(error.what(), "key has 7 bytes; the limit is 3"s);
  }
}

TEST(CheckText, RefusesNulAndInvalidUtf8) {
  EXPECT_EQ(refused([] { check_text("f", "a\0b"s, 9); }), "f");
  for (const char* bad : {"\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\x80", "\xFF", "a\xE2\x82"}) {
    EXPECT_EQ(refused([&] { check_text("f", bad, 9); }), "f") << bad;
  }
  for (const char* good : {"\x7F", "\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(refused([&] { check_text("f", good, 9); }), "") << good;
  }
}

TEST(CheckEvent, TakesAValidEventAndAnyBytesAsPayload) {
  Event event = valid();
  event.payload = "\0\xFF\xFE"s;

  EXPECT_EQ(refused([&] { check_event(event, 3); }), "");
  EXPECT_EQ(refused([&] { check_event(event, 2); }), "payload");
}

TEST(CheckEvent, RefusesEachFieldByName) {
  Event event = valid();
  event.type = std::string(201, 't');
  EXPECT_EQ(refused([&] { check_event(event, 9); }), "type");
  event = valid();
  event.key = "";
  EXPECT_EQ(refused([&] { check_event(event, 9); }), "key");
  event = valid();
  event.key = std::string(1'001, 'k');
  EXPECT_EQ(refused([&] { check_event(event, 9); }), "key");
  event = valid();
  event.content_type = "";
  EXPECT_EQ(refused([&] { check_event(event, 9); }), "content_type");
  event = valid();
  event.headers[""] = "v";
  EXPECT_EQ(refused([&] { check_event(event, 9); }), "headers");
  event = valid();
  event.headers["n"] = "a\0"s;
  EXPECT_EQ(refused([&] { check_event(event, 9); }), "headers");
}

TEST(CheckType, NamesItsFieldAndWhatItFound) {
  EXPECT_EQ(refused([] { check_type("type", "a..b"); }), "type");
  EXPECT_EQ(refused([] { check_type("types", ""); }), "types");
  try {
    check_type("type", "a. b");
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              "type must be segments between dots, none of them with a blank at its beginning or "
              "end; found \"a. b\""s);
  }
}

TEST(CheckType, TellsControlCharactersFromLetters) {
  for (const char* bad : {"\x01", "a\x1F", "\x7F", "a\xC2\x80", "\xC2\x9F"}) {
    EXPECT_EQ(refused([&] { check_type("type", bad); }), "type") << bad;
  }
  for (const char* good : {"~", "\xC2\xA0", "\xC3\x80", "\xE2\x82\x80"}) {
    EXPECT_EQ(refused([&] { check_type("type", good); }), "") << good;
  }
}

TEST(CheckEvent, CountsHeadersTogether) {
  Event event = valid();
  event.headers["a"] = std::string(limits::kHeadersBytes - 2, 'v');
  EXPECT_EQ(refused([&] { check_event(event, 9); }), "");
  event.headers["b"] = "";
  EXPECT_EQ(refused([&] { check_event(event, 9); }), "");
  event.headers["c"] = "x";
  EXPECT_EQ(refused([&] { check_event(event, 9); }), "headers");
}

TEST(CheckSelection, WantsACondition) {
  EXPECT_EQ(refused([] { check_selection({}); }), "selection");
  EXPECT_EQ(refused([] { check_selection({.all = true}); }), "");
  EXPECT_EQ(refused([] { check_selection({.handler = "h"}); }), "");
}

TEST(ErrorText, ReplacesWhatCannotBeStored) {
  EXPECT_EQ(error_text("a\0b\xFF"s), "a\uFFFDb\uFFFD");
  EXPECT_EQ(error_text("ok é"), "ok é");
}

TEST(BuryText, PutsTheReasonFirst) {
  EXPECT_EQ(bury_text("enough", ""), "enough");
  EXPECT_EQ(bury_text("enough", "no paper"), "enough (before: no paper)");
  EXPECT_EQ(bury_text(std::string(9'000, 'x'), "no paper"),
            std::string(limits::kErrorTextBytes, 'x'));
}

TEST(ErrorText, CutsAtACharacter) {
  const std::string text = error_text(std::string(limits::kErrorTextBytes - 1, 'x') + "é");

  EXPECT_EQ(text, std::string(limits::kErrorTextBytes - 1, 'x'));
}

}  // namespace
}  // namespace penstock::work

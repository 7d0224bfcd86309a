// One line of NDJSON: what it means, and what each mistake is told.
#include "input/ndjson_line.hpp"

#include <gmock/gmock.h>

#include "input/base64.hpp"
#include "penstock/error.hpp"

namespace penstock::cli {
namespace {

using testing::HasSubstr;

/// The error of a bad line; its field first.
std::string refusal_of(const std::string& line) {
  try {
    static_cast<void>(parse_ndjson_line(line));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.field() + " | " + error.what();
  }
  return "accepted";
}

TEST(NdjsonLine, KeepsThePayloadsOwnBytesWithoutItsWhiteSpace) {
  const Event event = parse_ndjson_line(
      R"( { "type" : "a.b" , "payload" : { "z" : 12345678901234567890123 , "a" : [ 1.50 , "x \" y" , null ] } } )");

  EXPECT_EQ(event.payload, R"({"z":12345678901234567890123,"a":[1.50,"x \" y",null]})");
}

TEST(NdjsonLine, TakesPayloadsThatAreNoObjects) {
  EXPECT_EQ(parse_ndjson_line(R"({"payload":-1.5e3,"type":"t"})").payload, "-1.5e3");
  EXPECT_EQ(parse_ndjson_line(R"({"payload":"}","type":"t"})").payload, R"("}")");
  EXPECT_EQ(parse_ndjson_line(R"({"payload":[],"type":"t"})").payload, "[]");
  EXPECT_EQ(parse_ndjson_line(R"({"type":"t","payload": true})").payload, "true");
}

TEST(NdjsonLine, TakesBytesInBase64) {
  EXPECT_EQ(parse_ndjson_line(R"({"type":"t","payload_base64":"AAH/"})").payload,
            (std::string{"\0\1\xff", 3}));
}

TEST(NdjsonLine, TakesAnEmptyKeyAsAbsent) {
  EXPECT_EQ(parse_ndjson_line(R"({"type":"t","payload":1,"key":""})").key, std::nullopt);
  EXPECT_EQ(parse_ndjson_line(R"({"type":"t","payload":1,"key":"k"})").key, "k");
}

TEST(NdjsonLine, KeepsAUuidAsItIs) {
  const EventId id = EventId::generate();

  const Event event =
      parse_ndjson_line(R"({"type":"t","payload":1,"id":")" + id.to_string() + "\"}");

  EXPECT_EQ(event.id, id);
  EXPECT_TRUE(event.headers.empty());
}

TEST(NdjsonLine, TurnsAForeignIdIntoTheSameUuidEachTime) {
  const Event event = parse_ndjson_line(R"({"type":"t","payload":1,"id":"invoice 7"})");

  EXPECT_EQ(event.id, EventId::from_foreign(kForeignIdSource, "invoice 7"));
  EXPECT_EQ(event.headers.at("penstock-original-id"), "invoice 7");
}

TEST(NdjsonLine, TakesHeadersAndContentType) {
  const Event event = parse_ndjson_line(
      R"({"type":"t","payload":1,"headers":{"a":"b"},"content_type":"text/plain"})");

  EXPECT_EQ(event.headers.at("a"), "b");
  EXPECT_EQ(event.content_type, "text/plain");
}

TEST(NdjsonLine, NamesWhatIsWrong) {
  EXPECT_THAT(refusal_of("{\"type\":\"t\","), HasSubstr("line | line: expected one JSON object"));
  EXPECT_THAT(refusal_of("[1]"), HasSubstr("line | "));
  EXPECT_THAT(refusal_of(R"({"payload":1})"), HasSubstr("type | "));
  EXPECT_THAT(refusal_of(R"({"type":7,"payload":1})"), HasSubstr("type | "));
  EXPECT_THAT(refusal_of(R"({"type":"t"})"), HasSubstr("payload | "));
  EXPECT_THAT(refusal_of(R"({"type":"t","payload":1,"payload_base64":""})"),
              HasSubstr("payload | "));
  EXPECT_THAT(refusal_of(R"({"type":"t","payload_base64":"A"})"), HasSubstr("payload_base64 | "));
  EXPECT_THAT(refusal_of(R"({"type":"t","payload":1,"headers":{"a":{"b":"c"}}})"),
              HasSubstr("headers | headers: expected a flat object of strings"));
  EXPECT_THAT(refusal_of(R"({"type":"t","payload":1,"headers":[]})"), HasSubstr("headers | "));
  EXPECT_THAT(refusal_of(R"({"type":"t","payload":1,"typ":"x"})"), HasSubstr("typ | "));
  EXPECT_THAT(refusal_of(R"({"type":"t","type":"u","payload":1})"), HasSubstr("type | "));
}

TEST(NdjsonLine, RefusesHeadersThatAreGivenTwice) {
  EXPECT_THAT(refusal_of(R"({"type":"t","payload":1,"headers":{"a":"b","\u0061":"c"}})"),
              HasSubstr("headers | headers: \"a\" is given twice"));
}

TEST(NdjsonLine, RefusesAByteOrderMarkAndNuls) {
  using std::string_literals::operator""s;

  EXPECT_THAT(refusal_of("\xEF\xBB\xBF{\"type\":\"t\",\"payload\":1}"),
              HasSubstr("line | line: expected one JSON object, found a byte order mark"));
  EXPECT_THAT(refusal_of("{\"type\":\"t\",\"payload\":1}\0x"s),
              HasSubstr("line | line: expected one JSON object, found a NUL byte"));
}

TEST(NdjsonLine, RefusesInvalidUtf8) {
  EXPECT_THAT(refusal_of("{\"type\":\"\xff\",\"payload\":1}"), HasSubstr("line | "));
}

TEST(Base64, DecodesEveryLength) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm9v"), "foo");
  EXPECT_EQ(decode_base64("Zm9vYg=="), "foob");
}

TEST(Base64, RefusesWhatIsNotExactlyBase64) {
  for (const char* const text : {"Z", "Zg=", "====", "Zg==Zg==", "Zm9v\n", "Zh==", "Z*9v"}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace penstock::cli

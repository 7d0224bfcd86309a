// `penstock publish`: what is refused, and that nothing is written then.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace penstock::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class PublishTest : public testing::Test {
 protected:
  PublishTest() { EXPECT_EQ(penstock({"handlers", "add", "mail", "--types", "*"}).exit_code, 0); }

  Finished penstock(std::vector<std::string> arguments, const std::string& input = {}) {
    arguments.insert(arguments.end(), {"--db", "sqlite:o.db"});
    return run(folder_, arguments, input);
  }
  json penstock_json(std::vector<std::string> arguments, const std::string& input = {}) {
    arguments.push_back("--json");
    const Finished finished = penstock(std::move(arguments), input);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return json::parse(finished.out);
  }
  int events() { return penstock_json({"stats"}).at("events").get<int>(); }

  /// Exit 2, one line that holds `what`, nothing written.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& what,
                      const std::string& input = {}) {
    const Finished finished = penstock(arguments, input);
    EXPECT_EQ(finished.exit_code, 2) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(what));
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(events(), 0);
  }

  /// What `handle` gives a command for the only event there is.
  std::string handled(const std::string& command) {
    const Finished finished = penstock({"handle", "--handler", "mail", "--types", "*",
                                        "--until-idle", "--exec", command + " > got"});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return read_file(folder_.path("got"));
  }

  const Folder folder_;
};

TEST_F(PublishTest, StoresOneEventForItsHandlers) {
  const json published =
      penstock_json({"publish", "--type", "order.paid", "--key", "order-42", "--payload", "{}"});

  EXPECT_EQ(published.at("status"), "created");
  EXPECT_EQ(published.at("handlers"), json::array({"mail"}));
  const json item = penstock_json({"list"}).at("items").at(0);
  EXPECT_EQ(item.at("event_id"), published.at("id"));
  EXPECT_EQ(item.at("key"), "order-42");
  EXPECT_TRUE(item.at("id").is_string());
  EXPECT_EQ(handled("cat"), "{}");
}

TEST_F(PublishTest, WarnsWhereNobodyIsSubscribed) {
  ASSERT_EQ(penstock({"handlers", "remove", "mail"}).exit_code, 0);
  const std::vector<std::string> command{"publish", "--type", "t", "--id", "invoice 7"};

  const Finished first = penstock(command);
  const Finished again = penstock(command);
  const Finished file =
      penstock({"publish", "--ndjson", "-", "--json"},
               "{\"type\":\"a\",\"payload\":1}\n{\"type\":\"b\",\"payload\":1}\n");

  EXPECT_EQ(first.exit_code, 0);
  const std::string id = first.out.substr(0, first.out.find(' '));
  EXPECT_THAT(first.err, HasSubstr("nobody is subscribed to it, so nobody will get it: penstock "
                                   "handlers add NAME --types PATTERN, then publish it again with "
                                   "--id " +
                                   id + "\n"));
  EXPECT_EQ(again.err, "");
  EXPECT_EQ(json::parse(file.err).at("kind"), "warning");
  EXPECT_EQ(json::parse(file.out).at("without_handler"), 2);
}

TEST_F(PublishTest, DoesNotWarnWhereSomebodyIs) {
  EXPECT_EQ(penstock({"publish", "--type", "t"}).err, "");
}

TEST_F(PublishTest, TakesAnEmptyKeyAsAbsent) {
  penstock_json({"publish", "--type", "t", "--key", "", "--payload", "1"});

  EXPECT_TRUE(penstock_json({"list"}).at("items").at(0).at("key").is_null());
}

TEST_F(PublishTest, RepeatsAnIdWithoutASecondDelivery) {
  const std::vector<std::string> command{"publish", "--type", "t", "--id", "invoice 7"};
  penstock_json(command);

  const json again = penstock_json(command);

  EXPECT_EQ(again.at("status"), "duplicate");
  EXPECT_EQ(penstock_json({"list"}).at("items").size(), 1U);
}

TEST_F(PublishTest, HandsOverBytesUnchanged) {
  std::string bytes(300'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  penstock_json({"publish", "--type", "t", "--payload-file", "-"}, bytes);

  EXPECT_TRUE(handled("cat") == bytes);
}

TEST_F(PublishTest, RefusesWhatIsBeyondTheLimits) {
  expect_refused({"publish", "--type", std::string(300, 't'), "--payload", "1"}, "200");
  expect_refused({"publish", "--type", "t", "--key", std::string(1001, 'k')}, "1000");
  expect_refused({"publish", "--type", "\xff", "--payload", "1"}, "UTF-8");
  expect_refused({"publish", "--type", "t", "--header", "novalue"}, "headers");
  expect_refused({"publish", "--payload", "1"}, "type");
  expect_refused({"publish", "--type", "a..b"}, "found \"a..b\"");
  expect_refused({"publish", "--type", "a.*"}, "pattern");
  expect_refused({"publish", "--type", "t", "--payload-file", "missing"}, "missing");
}

TEST_F(PublishTest, RefusesAWholeFileForOneBadLineAndNamesIt) {
  std::string lines;
  for (int i = 1; i <= 1200; ++i) {
    lines += i == 700 ? "{\"type\":\"t\",\n" : "{\"type\":\"t\",\"payload\":1}\n";
  }
  write_file(folder_.path("events.ndjson"), lines);

  expect_refused({"publish", "--ndjson", "events.ndjson"}, "line 700");
  expect_refused({"publish", "--ndjson", "-"}, "line 700", lines);
  expect_refused({"publish", "--ndjson", "-"},
                 "found \"typ\"; nothing was published; --skip-bad takes the rest\n",
                 "{\"type\":\"t\",\"payload\":1,\"typ\":1}\n");
  expect_refused({"publish", "--type", "t", "--skip-bad"}, "--ndjson");
}

TEST_F(PublishTest, RefusesAWholeFileForALineThatOnlyTheStoreRefuses) {
  std::string lines;
  for (int i = 1; i <= 1200; ++i) {
    const std::string type = i == 700 ? std::string(300, 't') : "t";
    lines += R"({"type":")" + type + "\",\"payload\":1}\n";
  }

  expect_refused({"publish", "--ndjson", "-"}, "line 700", lines);
  for (const char* type : {"a\\u0000b", "a..b", "a\\nb"}) {
    expect_refused(
        {"publish", "--ndjson", "-"}, "line 2",
        "{\"type\":\"t\",\"payload\":1}\n{\"type\":\"" + std::string(type) + "\",\"payload\":1}\n");
  }
}

TEST_F(PublishTest, SkipsBadLinesWhereToldTo) {
  const json report = penstock_json({"publish", "--ndjson", "-", "--skip-bad"},
                                    "{\"type\":\"a\",\"payload\":1}\n"
                                    "{\"type\":\n"
                                    "\n"
                                    "{\"type\":\"" +
                                        std::string(300, 't') +
                                        "\",\"payload\":1}\n"
                                        "{\"type\":\"b\",\"payload\":{ \"x\" : 1 }}");

  EXPECT_EQ(report.at("published"), 2);
  EXPECT_EQ(report.at("deliveries"), 2);
  ASSERT_EQ(report.at("skipped").size(), 2U);
  EXPECT_EQ(report.at("skipped").at(0).at("line"), 2);
  EXPECT_EQ(report.at("skipped").at(1).at("line"), 4);
  EXPECT_EQ(events(), 2);
}

TEST_F(PublishTest, TakesAForeignIdForTheSameEventInBothWays) {
  const json option =
      penstock_json({"publish", "--type", "t", "--payload", "1", "--id", "invoice 7"});

  const json line = penstock_json({"publish", "--ndjson", "-"},
                                  "{\"type\":\"t\",\"payload\":1,\"id\":\"invoice 7\"}\n");

  EXPECT_EQ(option.at("status"), "created");
  EXPECT_EQ(line.at("duplicates"), 1);
  EXPECT_EQ(events(), 1);
}

TEST_F(PublishTest, SkipsAByteOrderMarkBeforeTheFileOnly) {
  const std::string line = "\xEF\xBB\xBF{\"type\":\"t\",\"payload\":1}\n";
  expect_refused({"publish", "--ndjson", "-"},
                 "line 2: line: expected one JSON object, found a byte", line + line);
  expect_refused({"publish", "--ndjson", "-"}, "line 1", "\xEF\xBB\xBF" + line);

  EXPECT_EQ(penstock_json({"publish", "--ndjson", "-"}, line).at("published"), 1);
  EXPECT_EQ(penstock_json({"publish", "--ndjson", "-"}, "\xEF\xBB\xBF\n").at("published"), 0);
}

TEST_F(PublishTest, KeepsTheOrderOfAFile) {
  std::string lines;
  for (int i = 0; i < 30; ++i) {
    lines += R"({"type":"t","key":"k","payload":)" + std::to_string(i) + "}\n";
  }
  penstock_json({"publish", "--ndjson", "-"}, lines);

  ASSERT_EQ(penstock({"handle", "--handler", "mail", "--types", "*", "--until-idle", "--exec",
                      "cat >> all; echo >> all"})
                .exit_code,
            0);

  std::string expected;
  for (int i = 0; i < 30; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(read_file(folder_.path("all")), expected);
}

TEST_F(PublishTest, RefusesAFolderAndAMissingFile) {
  expect_refused({"publish", "--ndjson", "."}, "folder");
  expect_refused({"publish", "--ndjson", "missing.ndjson"}, "missing.ndjson");
}

}  // namespace
}  // namespace penstock::test

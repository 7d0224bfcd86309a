// What is logged to stderr where nobody asked for it: an outage must not pass in silence.
#include <gmock/gmock.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"

namespace penstock::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class LogTest : public testing::Test {
 protected:
  LogTest() {
    EXPECT_EQ(penstock({"handlers", "add", "mail", "--types", "*"}).exit_code, 0);
    EXPECT_EQ(penstock({"publish", "--type", "t", "--payload", "1"}).exit_code, 0);
  }

  static std::vector<std::string> with_db(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--db", "sqlite:o.db"});
    return arguments;
  }
  Finished penstock(const std::vector<std::string>& arguments) {
    return run(folder_, with_db(arguments));
  }
  /// Handles one delivery whose completion meets a file that is gone, until it has said `expected`.
  Finished handle_through_an_outage(const std::string& expected,
                                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"handle", "--handler", "mail", "--exec",
                                       "echo > begun; until [ -e go ]; do sleep 0.02; done"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Program program{folder_, with_db(arguments)};
    EXPECT_TRUE(
        eventually(folder_.path(""), [&] { return !read_file(folder_.path("begun")).empty(); }));
    std::filesystem::rename(folder_.path("o.db"), folder_.path("away.db"));
    write_file(folder_.path("go"), "");
    EXPECT_TRUE(program.says(expected));
    std::filesystem::rename(folder_.path("away.db"), folder_.path("o.db"));
    program.signal(SIGTERM);
    return program.wait();
  }

  const Folder folder_;
};

TEST_F(LogTest, TellsOfAnOutageByDefault) {
  const Finished finished = handle_through_an_outage(" warning store call failed operation=");

  EXPECT_EQ(finished.exit_code, 0) << finished.err;
}

TEST_F(LogTest, TellsOfAnOutageInJsonWhereItIsTheFormat) {
  const std::string line = R"("level":"warning","event":"store call failed")";

  const Finished finished = handle_through_an_outage(line, {"--log-format", "json"});

  EXPECT_EQ(finished.exit_code, 0) << finished.err;
}

TEST_F(LogTest, IsJsonWhereTheOutputIs) {
  const Finished finished = handle_through_an_outage("store call failed", {"--json"});

  std::istringstream lines{finished.err};
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(json::accept(line)) << line;
}

TEST_F(LogTest, TellsOfNothingWhereNothingIsWrong) {
  const Finished finished =
      penstock({"handle", "--handler", "mail", "--exec", "exit 1", "--until-idle", "--json"});

  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.err, "");
}

TEST_F(LogTest, TellsLessWhereAskedTo) {
  const std::vector<std::string> bury{"handle", "--handler",   "mail",
                                      "--exec", "exit 65",     "--until-idle",
                                      "--json", "--log-level", "error"};

  EXPECT_EQ(penstock(bury).err, "");
}

TEST_F(LogTest, HelpNamesTheDefault) {
  EXPECT_THAT(run(folder_, {"--help"}).out, HasSubstr("=warning"));
  EXPECT_THAT(run(folder_, {"handle", "--help"}).out, HasSubstr("--log-level LEVEL (warning)"));
}

}  // namespace
}  // namespace penstock::test

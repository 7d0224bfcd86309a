// How the program ends, and how it says why.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace penstock::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(ExitCode, IsZeroForHelpOfEveryCommandWithAnExample) {
  const Folder folder;
  for (const char* const command :
       {"demo", "setup", "sql", "publish", "handle", "handlers", "stats", "list", "show", "requeue",
        "bury", "purge", "lanes", "pages", "version"}) {
    const Finished help = run(folder, {command, "--help"});

    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.out, HasSubstr("  penstock ")) << command;
    EXPECT_EQ(help.err, "") << command;
  }
}

TEST(ExitCode, HelpSubscribesBeforeItPublishesAndHandlesLast) {
  const Folder folder;

  const std::string help = run(folder, {"--help"}).out;

  const std::size_t add = help.find("penstock handlers add");
  const std::size_t publish = help.find("penstock publish");
  EXPECT_LT(add, publish);
  EXPECT_LT(publish, help.find("penstock handle --handler"));
  EXPECT_EQ(help.find('&'), std::string::npos);
}

TEST(ExitCode, HelpNamesEveryKindOfStore) {
  const Folder folder;

  const std::string help = run(folder, {"--help"}).out;

  for (const char* const url : {"postgresql://USER@HOST/DATABASE", "sqlite:FILE", "memory:"}) {
    EXPECT_THAT(help, HasSubstr(url));
  }
}

TEST(ExitCode, HelpSaysWhatACommandNeedsAndTakes) {
  const Folder folder;

  const std::string demo = run(folder, {"demo", "--help"}).out;

  EXPECT_THAT(demo, HasSubstr("20 or more"));
  EXPECT_THAT(demo, HasSubstr("1 to 100"));
  EXPECT_THAT(run(folder, {"pages", "--help"}).out, HasSubstr("create extension pageinspect"));
}

TEST(ExitCode, IsTwoForUnknownCommandsAndOptions) {
  const Folder folder;

  EXPECT_EQ(run(folder, {}).exit_code, 2);
  EXPECT_EQ(run(folder, {"dance"}).exit_code, 2);
  EXPECT_EQ(run(folder, {"list", "--colour"}).exit_code, 2);
  EXPECT_EQ(run(folder, {"list", "--db", "sqlite:o.db", "--limit", "many"}).exit_code, 2);
}

TEST(ExitCode, IsTwoWithoutAStoreOrWithAnUnknownOne) {
  const Folder folder;

  const Finished none = run(folder, {"stats"});
  const Finished unknown = run(folder, {"stats", "--db", "tape:7"});

  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("PENSTOCK_DB"));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("tape"));
}

TEST(ExitCode, IsTwoForAStoreThatEndsWithTheCommand) {
  const Folder folder;
  const std::vector<std::vector<std::string>> commands{
      {"setup"},
      {"publish", "--type", "t"},
      {"handle", "--handler", "h", "--types", "*", "--exec", "true", "--until-idle"},
      {"handlers"},
      {"handlers", "add", "h", "--types", "*"},
      {"handlers", "pause", "h"},
      {"stats"},
      {"list"},
      {"show", "1"},
      {"requeue", "1"},
      {"bury", "1"},
      {"purge"},
      {"lanes"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--db", "memory:"});

    const Finished finished = run(folder, command);

    EXPECT_EQ(finished.exit_code, 2) << command.front();
    EXPECT_THAT(finished.err, HasSubstr("sqlite:")) << command.front();
    EXPECT_EQ(finished.out, "") << command.front();
  }
}

TEST(ExitCode, IsThreeWhereTheFileCannotBeOpened) {
  const Folder folder;

  const Finished finished = run(folder, {"setup", "--db", "sqlite:missing/folder/o.db"});

  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_EQ(line_count(finished.err), 1U) << finished.err;
}

TEST(ExitCode, IsFiveWithoutTablesAndNamesTheCommand) {
  const Folder folder;

  const Finished finished = run(folder, {"stats", "--db", "sqlite:o.db"});

  EXPECT_EQ(finished.exit_code, 5);
  EXPECT_THAT(finished.err, HasSubstr("penstock setup"));
}

TEST(ExitCode, IsOneForWhatIsNotThere) {
  const Folder folder;
  ASSERT_EQ(run(folder, {"setup", "--db", "sqlite:o.db"}).exit_code, 0);

  EXPECT_EQ(run(folder, {"show", "7", "--db", "sqlite:o.db"}).exit_code, 1);
  EXPECT_EQ(run(folder, {"requeue", "7", "--db", "sqlite:o.db"}).exit_code, 1);
  EXPECT_EQ(run(folder, {"handlers", "pause", "mail", "--db", "sqlite:o.db"}).exit_code, 1);
}

TEST(ExitCode, ComesWithAJsonObjectWhereJsonIsAskedFor) {
  const Folder folder;

  const Finished usage = run(folder, {"--json", "list", "--db", "sqlite:o.db", "--status", "lazy"});
  const Finished arguments = run(folder, {"dance", "--json"});
  const Finished long_type = run(folder, {"publish", "--json", "--db", "sqlite:o.db", "--payload",
                                          "x", "--type", std::string(300, 't')});

  const json first = json::parse(usage.err);
  EXPECT_EQ(first.at("kind"), "usage");
  EXPECT_EQ(first.at("field"), "status");
  EXPECT_THAT(first.at("message").get<std::string>(), HasSubstr("lazy"));
  EXPECT_EQ(json::parse(arguments.err).at("kind"), "usage");
  EXPECT_EQ(json::parse(long_type.err).at("limit"), 200);
  EXPECT_EQ(json::parse(long_type.err).at("field"), "type");
}

TEST(ExitCode, IsTheSameWhereNothingCanBeSaid) {
  using Errors = Program::Errors;
  const std::vector<std::string> publish{"publish", "--type", "t", "--db", "sqlite:o.db"};
  for (const Errors errors : {Errors::full, Errors::closed}) {
    const Folder folder;
    const auto code_of = [&](const std::vector<std::string>& arguments) {
      return Program{folder, arguments, "no JSON\n", errors}.wait().exit_code;
    };

    EXPECT_EQ(code_of({"dance"}), 2);
    EXPECT_EQ(code_of(publish), 0);  // It warns that nobody is subscribed.
    EXPECT_EQ(code_of({"publish", "--ndjson", "-", "--skip-bad", "--db", "sqlite:o.db"}), 0);
    EXPECT_EQ(code_of({"handle", "--handler", "h", "--types", "*", "--exec", "echo x >&2; true",
                       "--until-idle", "--db", "sqlite:o.db"}),
              0);
    EXPECT_EQ(run(folder, {"stats", "--db", "sqlite:o.db"}).exit_code, 0);
  }
}

TEST(ExitCode, IsZeroForTheVersion) {
  const Folder folder;

  EXPECT_THAT(run(folder, {"--version"}).out, testing::StartsWith("penstock "));
  EXPECT_EQ(
      "penstock " +
          json::parse(run(folder, {"version", "--json"}).out).at("version").get<std::string>() +
          "\n",
      run(folder, {"version"}).out);
}

}  // namespace
}  // namespace penstock::test

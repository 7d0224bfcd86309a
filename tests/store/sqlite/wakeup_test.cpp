// The wake-up within one process.
#include <sys/inotify.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "store/sqlite/sqlite_file.hpp"

namespace penstock::test {
namespace {

using namespace std::chrono_literals;

class SqliteWakeup : public SqliteFile {
 protected:
  void SetUp() override {
    store_ = set_up();
    subscribe(bus(), "h");
    wakeup_ = bus().listen();
    settle();
  }
  BusStore& bus() { return store_->bus(); }
  Wakeup& wakeup() { return *wakeup_; }
  /// Takes every hint that is on its way.
  void settle() {
    while (wakeup().wait(20ms) == Wakeup::Reason::hint) {
    }
  }

 private:
  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<Wakeup> wakeup_;
};

TEST_F(SqliteWakeup, APublishOfAnotherThreadIsHeardWithinTwentyMilliseconds) {
  auto best = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 5; ++i) {
    std::chrono::steady_clock::time_point committed{};
    std::jthread publisher([&] {
      publish(bus());
      committed = std::chrono::steady_clock::now();
    });
    ASSERT_EQ(wakeup().wait(10s), Wakeup::Reason::hint);
    const auto woken = std::chrono::steady_clock::now();
    publisher.join();
    best = std::min(best, woken - committed);
    settle();
  }

  EXPECT_LT(best, 20ms);
}

TEST_F(SqliteWakeup, AHintThatCameBeforeTheWaitIsKept) {
  publish(bus());

  EXPECT_EQ(wakeup().wait(0us), Wakeup::Reason::hint);
}

TEST_F(SqliteWakeup, OwnClaimsAndCompletionsDoNotWake) {
  publish(bus());
  settle();

  const Claimed claimed = claim(bus());
  static_cast<void>(bus().complete(tokens_of(claimed), nullptr));

  EXPECT_EQ(claimed.work.size(), 1U);
  EXPECT_EQ(wakeup().wait(100ms), Wakeup::Reason::timeout);
}

TEST_F(SqliteWakeup, ACommitOfTheUsersOwnConnectionWakes) {
  PlainConnection plain{path()};
  plain.run("begin immediate");
  const sqlite::Borrowed transaction = sqlite::borrow(plain.handle());
  const std::vector<Event> events{{.type = "t"}};
  bus().publish(events, &transaction);
  plain.run("commit");

  EXPECT_EQ(wakeup().wait(10s), Wakeup::Reason::hint);
}

TEST_F(SqliteWakeup, WritesToOtherFilesOfTheFolderReachNobody) {
  struct stat folder{};
  ASSERT_EQ(::stat(std::filesystem::path(path()).parent_path().c_str(), &folder), 0);
  bool folder_is_watched = false;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
    std::ifstream lines(entry.path());
    for (std::string line; std::getline(lines, line);) {
      unsigned long inode = 0;
      unsigned mask = 0;
      if (std::sscanf(line.c_str(), "inotify wd:%*x ino:%lx sdev:%*x mask:%x", &inode, &mask) !=
          2) {
        continue;
      }
      if (inode != folder.st_ino) continue;
      folder_is_watched = true;
      EXPECT_EQ(mask & IN_MODIFY, 0U) << line;
    }
  }

  EXPECT_TRUE(folder_is_watched);
}

TEST_F(SqliteWakeup, InterruptEndsThePresentOrTheNextWait) {
  wakeup().interrupt();
  EXPECT_EQ(wakeup().wait(10s), Wakeup::Reason::interrupted);

  std::jthread other([&] { wakeup().interrupt(); });
  EXPECT_EQ(wakeup().wait(10s), Wakeup::Reason::interrupted);
}

TEST_F(SqliteWakeup, RequeueAndRescheduleWake) {
  publish(bus());
  settle();
  const Bury item{.token = claim(bus()).work.at(0).token, .reason = "no"};
  ASSERT_THAT(bus().bury({&item, 1}), ::testing::ElementsAre(Verdict::done));
  settle();

  bus().requeue({.all = true});
  EXPECT_EQ(wakeup().wait(0us), Wakeup::Reason::hint);

  const Reschedule later{.token = claim(bus()).work.at(0).token, .delay = 1s};
  ASSERT_THAT(bus().reschedule({&later, 1}), ::testing::ElementsAre(Verdict::done));
  EXPECT_EQ(wakeup().wait(0us), Wakeup::Reason::hint);
}

}  // namespace
}  // namespace penstock::test

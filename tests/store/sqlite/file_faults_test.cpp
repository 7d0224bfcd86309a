// What can be wrong with a file or a disk: each is a typed error, and nothing is lost in silence.
#include <csignal>
#include <fstream>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite/sqlite_file.hpp"

namespace penstock::test {
namespace {

using namespace std::chrono_literals;
using SqliteFaults = SqliteFile;

void expect_unavailable(const std::function<void()>& call, const std::string& words) {
  const std::optional<Error> error = error_of(call);
  ASSERT_TRUE(error) << "nothing was thrown; expected: " << words;
  EXPECT_EQ(error->kind(), ErrorKind::unavailable) << error->what();
  EXPECT_THAT(error->what(), ::testing::HasSubstr(words));
}

TEST_F(SqliteFaults, OpeningMakesNothing) {
  static_cast<void>(open());

  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(SqliteFaults, AMissingFolderIsNotMade) {
  expect_unavailable([&] { static_cast<void>(open({.path = folder().path("no/orders.db")})); },
                     "folder does not exist");
}

TEST_F(SqliteFaults, AFolderIsNoFile) {
  expect_unavailable([&] { static_cast<void>(open({.path = folder().path("")})); }, "is a folder");
}

TEST_F(SqliteFaults, BadOptionsAreRefused) {
  EXPECT_EQ(kind_of([] { SqliteStore store{{}}; }), ErrorKind::usage);
  EXPECT_EQ(kind_of([] { SqliteStore store{{.path = ":memory:"}}; }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { SqliteStore store{{.path = path(), .busy_timeout = -1s}}; }),
            ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { SqliteStore store{{.path = path(), .max_payload = 2'000'000'000}}; }),
            ErrorKind::usage);
}

TEST_F(SqliteFaults, AFileThatIsNoDatabaseIsToldAtOnce) {
  std::ofstream(path()) << std::string(10'000, 'x');

  expect_unavailable([&] { static_cast<void>(open()); }, "not an SQLite database");
}

TEST_F(SqliteFaults, ADamagedFileIsToldAndNotWrittenTo) {
  {
    const auto store = set_up();
    subscribe(store->bus(), "h");
    for (int i = 0; i < 200; ++i)
      publish(store->bus(), {.type = "t", .payload = std::string(500, 'p')});
  }
  const auto size = std::filesystem::file_size(path());
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 4));
    file << std::string(size - size / 4, '\x55');
  }

  expect_unavailable([&] { publish(open()->bus()); }, "damaged");
  expect_unavailable([&] { static_cast<void>(open()->bus().list({})); }, "damaged");
}

// Known fault 159.
TEST_F(SqliteFaults, EveryPageSizeWorks) {
  for (int size = 512; size <= 65'536; size *= 2) {
    const std::string file = folder().path("pages-" + std::to_string(size) + ".db");
    PlainConnection{file}.run("pragma page_size = " + std::to_string(size) +
                              "; create table orders(id integer)");
    const auto store = set_up({.path = file});
    subscribe(store->bus(), "h");
    const std::string payload(100'000, '\0');
    publish(store->bus(), {.type = "t", .key = std::string(1'000, 'k'), .payload = payload});

    const Claimed claimed = claim(store->bus());
    ASSERT_EQ(claimed.work.size(), 1U) << size;
    EXPECT_EQ(claimed.work[0].event->payload, payload) << size;
    EXPECT_THAT(store->bus().complete(tokens_of(claimed), nullptr),
                ::testing::ElementsAre(Verdict::done));
    EXPECT_EQ(PlainConnection{file}.number("pragma page_size"), size);
  }
}

TEST_F(SqliteFaults, APathMayHoldSpacesQuotesAndQuestionMarks) {
  const std::string file = folder().path("my 'orders' 50%20?mode=memory #1.db");
  const auto store = set_up({.path = file});
  subscribe(store->bus(), "h");
  publish(store->bus());

  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(claim(open({.path = file})->bus()).work.size(), 1U);
}

TEST_F(SqliteFaults, ARelativePathStaysTheSameFileAfterAChangeOfFolder) {
  Child child{[&] {
    std::filesystem::current_path(folder().path(""));
    const auto store = set_up({.path = "relative.db"});
    std::filesystem::current_path("/");
    subscribe(store->bus(), "h");
    publish(store->bus());
    return list(store->bus()).size() == 1 ? 0 : 1;
  }};

  EXPECT_EQ(child.wait(), 0);
  EXPECT_TRUE(std::filesystem::exists(folder().path("relative.db")));
}

// Writes to a file that nobody can find any more would be lost in silence.
TEST_F(SqliteFaults, ADeletedFileIsToldByEveryCall) {
  const auto store = set_up();
  subscribe(store->bus(), "h");
  publish(store->bus());
  std::filesystem::remove(path());

  expect_unavailable([&] { publish(store->bus()); }, "moved or deleted");
  expect_unavailable([&] { static_cast<void>(claim(store->bus())); }, "moved or deleted");
  expect_unavailable([&] { static_cast<void>(store->bus().begin()); }, "moved or deleted");
}

TEST_F(SqliteFaults, AFileThatWasReplacedIsToldToo) {
  static_cast<void>(set_up({.path = folder().path("new.db")}));
  const auto store = set_up();
  std::filesystem::rename(folder().path("new.db"), path());

  expect_unavailable([&] { subscribe(store->bus(), "h"); }, "moved or deleted");
}

TEST_F(SqliteFaults, AFileThatMayOnlyBeReadIsTold) {
  {
    const auto store = set_up();
    subscribe(store->bus(), "h");
  }
  ::chmod(path().c_str(), 0444);
  ::chmod(folder().path("").c_str(), 0555);
  Child reader{[&] {
    if (::geteuid() == 0 && ::seteuid(65'534) != 0) return 1;
    const std::optional<ErrorKind> kind = kind_of([&] {
      const auto store = open();
      publish(store->bus());
    });
    return kind == ErrorKind::unavailable ? 0 : 2;
  }};
  EXPECT_EQ(reader.wait(), 0);
  ::chmod(folder().path("").c_str(), 0700);
}

// A disk with room for a few pages more: each publish is there whole, or refused and not there.
TEST_F(SqliteFaults, AFullDiskRefusesWholeTransactions) {
  const auto store = set_up();
  subscribe(store->bus(), "h");
  std::int64_t stored = 0;
  int refused = 0;
  for (int more_pages = 0; more_pages < 40; ++more_pages) {
    const std::optional<Error> error = error_of([&] {
      const auto transaction = store->bus().begin();
      sqlite3* connection = sqlite::connection(*transaction);
      const std::int64_t pages = PlainConnection{path()}.number("pragma page_count") + more_pages;
      sqlite3_exec(connection, ("pragma max_page_count = " + std::to_string(pages)).c_str(),
                   nullptr, nullptr, nullptr);
      const std::vector<Event> events(3, Event{.type = "t", .payload = std::string(20'000, 'p')});
      store->bus().publish(events, transaction.get());
      transaction->commit();
    });
    if (error) {
      EXPECT_EQ(error->kind(), ErrorKind::unavailable) << error->what();
      EXPECT_THAT(error->what(), ::testing::HasSubstr("full"));
      ++refused;
    } else {
      stored += 3;
    }
    EXPECT_EQ(PlainConnection{path()}.number("select count(*) from penstock_deliveries"), stored);
    EXPECT_EQ(PlainConnection{path()}.number("select count(*) from penstock_events"), stored);
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(stored, 0);
}

// A limit on the size of files stands for a disk that fills up: what was acknowledged is there.
TEST_F(SqliteFaults, WhatWasAcknowledgedBeforeTheDiskFilledIsThere) {
  subscribe(set_up()->bus(), "h");
  const std::string journal = folder().path("acknowledged");
  Child publisher{[&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const auto store = open();
    std::ofstream acknowledged(journal);
    const rlimit limit{.rlim_cur = 3'000'000, .rlim_max = RLIM_INFINITY};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    for (int i = 0; i < 1'000; ++i) {
      const std::optional<Error> error = error_of([&] {
        const Published published =
            publish(store->bus(), {.type = "t", .payload = std::string(50'000, 'p')});
        acknowledged << published.id.to_string() << std::endl;
      });
      if (!error) continue;
      const bool typed =
          error->kind() == ErrorKind::unavailable || error->kind() == ErrorKind::in_doubt;
      return typed ? 0 : 2;
    }
    return 3;
  }};
  EXPECT_EQ(publisher.wait(), 0);

  const auto store = open();
  std::ifstream acknowledged(journal);
  std::string id;
  int count = 0;
  while (acknowledged >> id) {
    ++count;
    EXPECT_EQ(list(store->bus(), {.event_id = EventId::parse(id)}).size(), 1U) << id;
  }
  EXPECT_GT(count, 10);
}

TEST_F(SqliteFaults, AWriterThatKeepsTheLockIsAConflictAfterTheTimeout) {
  const auto store = set_up({.busy_timeout = 20ms});
  PlainConnection plain{path()};
  plain.run("begin immediate");

  const std::optional<Error> error = error_of([&] { publish(store->bus()); });

  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::conflict);
  EXPECT_THAT(error->what(), ::testing::HasSubstr("write lock"));
}

TEST_F(SqliteFaults, AWriterThatIsBusyIsWaitedFor) {
  const auto store = set_up();
  PlainConnection plain{path()};
  plain.run("begin immediate");
  std::optional<Error> error;
  {
    std::jthread publisher([&] { error = error_of([&] { publish(store->bus()); }); });
    plain.run("create table orders(id integer); commit");
  }

  EXPECT_FALSE(error) << error->what();
  EXPECT_EQ(store->bus().statistics().events, 1);
}

TEST_F(SqliteFaults, ReadingAndFindingNothingWaitForNoWriter) {
  const auto store = set_up({.busy_timeout = 0ms});
  subscribe(store->bus(), "h");
  PlainConnection plain{path()};
  plain.run("begin immediate");

  EXPECT_TRUE(list(store->bus()).empty());
  EXPECT_EQ(store->bus().statistics().events, 0);
  EXPECT_TRUE(claim(store->bus()).work.empty());
}

// "A claim that finds nothing writes nothing": the log of the database stays as it is.
TEST_F(SqliteFaults, AClaimThatFindsNothingWritesNothing) {
  const auto store = set_up();
  subscribe(store->bus(), "h");
  const auto before = std::filesystem::file_size(path() + "-wal");

  for (int i = 0; i < 10; ++i) static_cast<void>(claim(store->bus()));

  EXPECT_EQ(std::filesystem::file_size(path() + "-wal"), before);
}

// Known fault 39: rows deleted by hand under a running worker.
TEST_F(SqliteFaults, ADeliveryThatIsGoneIsLostAndTheWorkerGoesOn) {
  const auto store = set_up();
  subscribe(store->bus(), "h");
  for (int i = 0; i < 6; ++i) publish(store->bus());
  const std::vector<Token> tokens = tokens_of(claim(store->bus()));
  ASSERT_EQ(tokens.size(), 6U);
  PlainConnection plain{path()};
  plain.run("delete from penstock_deliveries where id <= 3");

  EXPECT_THAT(store->bus().extend({tokens.data(), 6}, 1min),
              ::testing::UnorderedElementsAre(Verdict::lost, Verdict::lost, Verdict::lost,
                                              Verdict::done, Verdict::done, Verdict::done));
  EXPECT_THAT(store->bus().complete(tokens, nullptr),
              ::testing::UnorderedElementsAre(Verdict::lost, Verdict::lost, Verdict::lost,
                                              Verdict::done, Verdict::done, Verdict::done));
  publish(store->bus());
  EXPECT_EQ(claim(store->bus()).work.size(), 1U);
}

TEST_F(SqliteFaults, AnEventOrALaneThatIsGoneStopsOnlyItsOwn) {
  const auto store = set_up();
  subscribe(store->bus(), "h");
  for (int i = 0; i < 3; ++i) publish(store->bus());
  const std::int32_t lane = list(store->bus()).at(0).lane.value;
  PlainConnection plain{path()};
  plain.run("delete from penstock_lanes where lane = " + std::to_string(lane));
  plain.run("delete from penstock_events where number = 2");

  EXPECT_LE(claim(store->bus()).work.size(), 1U);
  publish(store->bus());
  EXPECT_NO_THROW(static_cast<void>(claim(store->bus())));
  EXPECT_EQ(list(store->bus()).size(), 4U);
}

// Known fault 1: what is there already draws no number.
// Known fault 149: isolated and reported, and everything else goes on.
TEST_F(SqliteFaults, AnEventThatCannotBeReadIsBuriedAlone) {
  const auto store = set_up();
  BusStore& bus = store->bus();
  subscribe(bus, "h");
  for (int i = 0; i < 3; ++i) publish(bus);
  PlainConnection{path()}.run("update penstock_events set headers = 'not json' where number = 2");

  const Claimed claimed = claim(bus);

  EXPECT_EQ(claimed.work.size(), 2U);
  const DeliveryPage dead = bus.list({.status = DeliveryStatus::dead});
  ASSERT_EQ(dead.items.size(), 1U);
  EXPECT_THAT(dead.items[0].last_error, ::testing::HasSubstr("cannot be read"));
}

// Known fault 159: the user's connection is still on the file that went away.
TEST_F(SqliteFaults, ABorrowedConnectionOnAFileThatWasReplacedIsRefused) {
  const auto store = set_up();
  PlainConnection plain{path()};
  plain.run("select count(*) from penstock_events");
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::error_code ignored;
    std::filesystem::rename(path() + suffix, path() + ".old" + suffix, ignored);
  }
  const auto replacement = set_up();
  plain.run("begin immediate");
  const sqlite::Borrowed transaction = sqlite::borrow(plain.handle());
  const std::vector<Event> events{{.type = "t"}};

  expect_unavailable([&] { replacement->bus().publish(events, &transaction); }, "");
  plain.run("rollback");
}

TEST_F(SqliteFaults, ALinkLeadsToTheFileItself) {
  const auto store = set_up();
  const std::string link = folder().path("link.db");
  std::filesystem::create_symlink(path(), link);
  const auto linked = open({.path = link});
  const auto wakeup = linked->bus().listen();
  while (wakeup->wait(20ms) == Wakeup::Reason::hint) {
  }

  publish(store->bus());

  EXPECT_EQ(wakeup->wait(10s), Wakeup::Reason::hint);
}

TEST_F(SqliteFaults, ARepeatedPublishDrawsNoNumbers) {
  const auto store = set_up();
  subscribe(store->bus(), "h");
  const Event event{.type = "t", .key = "k", .id = EventId::generate()};
  publish(store->bus(), event);

  for (int i = 0; i < 100; ++i) publish(store->bus(), event);

  PlainConnection plain{path()};
  EXPECT_EQ(plain.number("select sequence from penstock_keys"), 1);
  EXPECT_EQ(plain.number("select seq from sqlite_sequence"), 1);
}

TEST_F(SqliteFaults, NumbersBeyondThirtyTwoBitsWork) {
  const auto store = set_up();
  subscribe(store->bus(), "h");
  PlainConnection plain{path()};
  plain.run(
      "insert into sqlite_sequence values ('penstock_deliveries', 2147483646);"
      "insert into penstock_keys values ('k', 2147483646, 0)");

  for (int i = 0; i < 10; ++i) publish(store->bus(), {.type = "t", .key = "k"});

  const WorkerId worker{"w"};
  const HandlerRoom room{"h", 10};
  const Claimed claimed =
      store->bus().claim({.worker = worker, .handlers = {&room, 1}, .limit = 10, .run_limit = 10});
  ASSERT_EQ(claimed.work.size(), 10U);
  EXPECT_EQ(claimed.work.back().token.work_id, 2'147'483'656);
  EXPECT_EQ(claimed.work.back().sequence, 2'147'483'656);
  EXPECT_THAT(store->bus().complete(tokens_of(claimed), nullptr), ::testing::Each(Verdict::done));
}

}  // namespace
}  // namespace penstock::test

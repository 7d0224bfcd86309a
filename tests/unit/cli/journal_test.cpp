// The journals of the demo: what is written is read, and what a kill cut is not.
#include "demo/journal.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "cli/program.hpp"
#include "penstock/error.hpp"

namespace penstock::cli::demo {
namespace {

HandledRecord record(std::int64_t at_ns) {
  return {.handler = "audit", .id = EventId::generate(), .at_ns = at_ns, .latency_us = 7};
}

TEST(Journal, IsReadAsItWasWritten) {
  const test::Folder folder;
  JournalWriter published{published_journal(folder.path(""))};
  JournalWriter worker{worker_journal(folder.path(""), 1)};
  const HandledRecord handled = record(5);
  published.write({{handled.id, "order.paid", "k"}, {EventId::generate(), "ping", std::nullopt}});
  worker.write(handled);
  worker.write_failure("ledger");

  JournalReader reader{folder.path("")};
  reader.read_on();

  ASSERT_EQ(reader.published().size(), 2U);
  EXPECT_EQ(reader.published()[0].id, handled.id);
  EXPECT_EQ(reader.published()[0].key, "k");
  EXPECT_EQ(reader.published()[1].key, std::nullopt);
  ASSERT_EQ(reader.handled().size(), 1U);
  EXPECT_EQ(reader.handled()[0].id, handled.id);
  EXPECT_EQ(reader.handled()[0].at_ns, 5);
  EXPECT_EQ(reader.failures(), 1);
}

TEST(Journal, IsReadOnFromWhereTheLastReadingEnded) {
  const test::Folder folder;
  JournalWriter worker{worker_journal(folder.path(""), 1)};
  JournalReader reader{folder.path("")};
  worker.write(record(1));
  reader.read_on();
  worker.write(record(2));

  reader.read_on();

  ASSERT_EQ(reader.handled().size(), 2U);
  EXPECT_EQ(reader.handled()[1].at_ns, 2);
}

TEST(Journal, DoesNotCountALineThatAKillCut) {
  const test::Folder folder;
  const auto path = worker_journal(folder.path(""), 1);
  {
    JournalWriter{path}.write(record(1));
  }
  std::ofstream{path, std::ios::app} << "H\taudit\t0190";

  JournalReader reader{folder.path("")};
  reader.read_on();

  EXPECT_EQ(reader.handled().size(), 1U);
}

TEST(Journal, RefusesAFileThatIsNone) {
  const test::Folder folder;
  std::ofstream{worker_journal(folder.path(""), 1)} << "something else\n";

  JournalReader reader{folder.path("")};

  EXPECT_THROW(reader.read_on(), Error);
}

TEST(Journal, KeepsTheRecordsOfManyThreads) {
  const test::Folder folder;
  JournalWriter worker{worker_journal(folder.path(""), 1)};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&worker] {
        for (int i = 0; i < 25; ++i) worker.write(record(i));
      });
    }
  }

  JournalReader reader{folder.path("")};
  reader.read_on();

  EXPECT_EQ(reader.handled().size(), 100U);
}

}  // namespace
}  // namespace penstock::cli::demo

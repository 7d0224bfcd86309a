// The pool, on a real server: bounds, reuse, what broke.
#include "store/postgres/pool.hpp"

#include <gmock/gmock.h>
#include <libpq-fe.h>

#include <future>

#include "store/postgres/target.hpp"
#include "support/postgres_server.hpp"

namespace penstock::postgres::detail {
namespace {

using namespace std::chrono_literals;

class PoolTest : public ::testing::Test {
 protected:
  [[nodiscard]] static Pool::Deadline in(std::chrono::milliseconds wait) {
    return std::chrono::steady_clock::now() + wait;
  }
  [[nodiscard]] Pool::Lease borrow() { return pool_.borrow("test", in(20s)); }

  Names names_{"penstock", ""};
  Target target_{test::server_url(test::shared_server())};
  int opened_ = 0;
  Pool pool_{2, [this] {
               ++opened_;
               return std::make_unique<Connection>(target_, names_, Preparing::named, Log{});
             }};
};

TEST_F(PoolTest, OpensWhenNeededAndUsesAgain) {
  EXPECT_EQ(opened_, 0);
  {
    const Pool::Lease first = borrow();
    EXPECT_TRUE(first.is_fresh());
  }
  const Pool::Lease again = borrow();

  EXPECT_FALSE(again.is_fresh());
  EXPECT_EQ(opened_, 1);
}

TEST_F(PoolTest, RefusesMoreThanItsSizeAfterTheDeadline) {
  const Pool::Lease one = borrow();
  const Pool::Lease two = borrow();

  try {
    (void)pool_.borrow("claim", in(1ms));
    FAIL() << "a third connection";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("claim: all 2 connections"));
  }
  EXPECT_EQ(opened_, 2);
}

TEST_F(PoolTest, HandsAFreedOneToWhoWaits) {
  const Pool::Lease one = borrow();
  std::future<bool> waiter;
  {
    const Pool::Lease two = borrow();
    waiter = std::async(std::launch::async, [this] { return borrow().is_fresh(); });
  }

  EXPECT_FALSE(waiter.get());
  EXPECT_EQ(opened_, 2);
}

TEST_F(PoolTest, ReplacesOneThatTheServerClosed) {
  int process = 0;
  {
    const Pool::Lease lease = borrow();
    process = PQbackendPID(lease->handle());
  }
  test::Session(test::server_url(test::shared_server()))
      .ask("select pg_terminate_backend(" + std::to_string(process) + ", 10000)");

  const Pool::Lease next = borrow();

  EXPECT_TRUE(next.is_fresh());
  EXPECT_EQ(pool_.open_connections(), 1U);
}

TEST_F(PoolTest, KeepsNoneThatIsLeftInATransaction) {
  borrow()->execute("begin");

  EXPECT_TRUE(borrow().is_fresh());
}

TEST_F(PoolTest, KeepsNoneThatIsSpoiled) {
  borrow()->spoil();

  EXPECT_TRUE(borrow().is_fresh());
}

TEST_F(PoolTest, ClosesIdleOnesWhenTold) {
  (void)borrow();

  pool_.drop_idle();

  EXPECT_EQ(pool_.open_connections(), 0U);
}

TEST_F(PoolTest, CountsNoneThatCouldNotBeOpened) {
  Pool broken(
      1, []() -> std::unique_ptr<Connection> { throw Error(ErrorKind::unavailable, "no server"); });

  EXPECT_THROW((void)broken.borrow("test", in(20s)), Error);
  EXPECT_THROW((void)broken.borrow("test", in(20s)), Error);

  EXPECT_EQ(broken.open_connections(), 0U);
}

}  // namespace
}  // namespace penstock::postgres::detail

// Connection strings.
#include "store/postgres/target.hpp"

#include <gmock/gmock.h>

#include "penstock/error.hpp"

namespace penstock::postgres::detail {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

TEST(Target, TakesUrlsAndKeywordStrings) {
  for (const char* text : {"postgresql://me:pw@db.example:5433/orders?sslmode=require",
                           "postgres://me:pw@db.example:5433/orders?sslmode=require",
                           "host=db.example port=5433 user=me password=pw dbname=orders "
                           "sslmode=require"}) {
    const Target target(text);

    EXPECT_THAT(target.settings(), Contains(Pair("host", "db.example"))) << text;
    EXPECT_THAT(target.settings(), Contains(Pair("dbname", "orders")));
    EXPECT_THAT(target.settings(), Contains(Pair("sslmode", "require")));
    EXPECT_EQ(target.place(), "database orders on db.example");
  }
}

TEST(Target, FindsHalfOpenConnectionsUnlessToldOtherwise) {
  EXPECT_THAT(Target("dbname=x").settings(), Contains(Pair("tcp_user_timeout", "40000")));
  EXPECT_THAT(Target("dbname=x").settings(), Contains(Pair("connect_timeout", "10")));

  const Target told("dbname=x connect_timeout=3 keepalives_idle=99");

  EXPECT_THAT(told.settings(), Contains(Pair("connect_timeout", "3")));
  EXPECT_THAT(told.settings(), Not(Contains(Pair("connect_timeout", "10"))));
  EXPECT_THAT(told.settings(), Contains(Pair("keepalives_idle", "99")));
}

TEST(Target, SendsTextInUtf8) {
  const Target target("dbname=x client_encoding=LATIN1");

  EXPECT_THAT(target.settings(), Contains(Pair("client_encoding", "UTF8")));
  EXPECT_THAT(target.settings(), Not(Contains(Pair("client_encoding", "LATIN1"))));
}

TEST(Target, RefusesBadStringsWithoutQuotingThem) {
  for (const std::string& bad :
       {std::string("postgresql://me:s3cret%zz@h/x"), std::string("host=h password='s3cret"),
        std::string("s3cret"), std::string("postgresql://me:s3cret@h/x?nonsense=1"),
        std::string("postgresql://me:s3cret%00@h/x"), std::string("host=h\0password=s3cret", 22)}) {
    try {
      const Target target(bad);
      FAIL() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_EQ(error.field(), "db");
      EXPECT_THAT(error.what(), Not(HasSubstr("s3cret")));
    }
  }
}

TEST(Target, KnowsTheOptionsOfLibpq) {
  EXPECT_TRUE(Target::knows_option("sslmode"));
  EXPECT_TRUE(Target::knows_option("target_session_attrs"));
  EXPECT_FALSE(Target::knows_option("shema"));
}

}  // namespace
}  // namespace penstock::postgres::detail

// URLs of the PostgreSQL store.
#include "store/postgres/url.hpp"

#include <gmock/gmock.h>

#include "penstock/error.hpp"

namespace penstock::postgres::detail {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PostgresUrl, TakesOutWhatIsOurs) {
  const PostgresStoreOptions options = options_of_url(
      "postgresql://me:pw%20x@h:5433/orders?schema=My%20bus&sslmode=require&prefix=p_&"
      "completion_history=true&pool_size=3&pool_timeout=7&pooler=false&connect_timeout=2");

  EXPECT_EQ(options.connection,
            "postgresql://me:pw%20x@h:5433/orders?sslmode=require&connect_timeout=2");
  EXPECT_EQ(options.schema, "My bus");
  EXPECT_EQ(options.prefix, "p_");
  EXPECT_TRUE(options.completion_history);
  EXPECT_EQ(options.pool_size, 3U);
  EXPECT_EQ(options.pool_timeout, std::chrono::seconds{7});
  EXPECT_EQ(options.pooler, std::optional<bool>(false));
}

TEST(PostgresUrl, HasDefaults) {
  const PostgresStoreOptions options = options_of_url("postgres://h/orders");

  EXPECT_EQ(options.connection, "postgres://h/orders");
  EXPECT_EQ(options.schema, "penstock");
  EXPECT_EQ(options.prefix, "");
  EXPECT_FALSE(options.completion_history);
  EXPECT_EQ(options.pooler, std::nullopt);
}

TEST(PostgresUrl, IsKnownByItsScheme) {
  EXPECT_TRUE(is_postgres_url("postgres://h/x"));
  EXPECT_TRUE(is_postgres_url("postgresql://"));
  EXPECT_FALSE(is_postgres_url("sqlite:postgres://"));
  EXPECT_FALSE(is_postgres_url("postgresql:x"));
}

TEST(PostgresUrl, RefusesUnknownOptionsByName) {
  try {
    (void)options_of_url("postgresql://me:s3cret@h/x?shema=bus");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("has no option \"shema\""));
    EXPECT_THAT(error.what(), Not(HasSubstr("s3cret")));
  }
}

TEST(PostgresUrl, RefusesBadValues) {
  for (const char* bad :
       {"pool_size=many", "pool_size=-1", "pool_size=", "pool_size=99999999999", "pooler=yes",
        "completion_history=1", "schema=%zz", "schema", "pool_timeout=1s"}) {
    EXPECT_THROW((void)options_of_url("postgresql://h/x?" + std::string(bad)), Error) << bad;
  }
}

}  // namespace
}  // namespace penstock::postgres::detail

// Store URLs.
#include "store/store_url.hpp"

#include <gtest/gtest.h>

#include "penstock/error.hpp"
#include "penstock/store.hpp"

namespace penstock::store {
namespace {

TEST(StoreUrl, ReadsSchemePlaceAndOptions) {
  StoreUrl url = parse_store_url("sqlite:/var/lib/my%20orders.db?completion_history=true");

  EXPECT_EQ(url.scheme, "sqlite");
  EXPECT_EQ(url.place, "/var/lib/my orders.db");
  EXPECT_TRUE(take_switch(url, "completion_history", false));
  EXPECT_NO_THROW(refuse_unknown_options(url));
}

TEST(StoreUrl, KeepsASpaceAsItIs) {
  EXPECT_EQ(parse_store_url("sqlite:my orders.db").place, "my orders.db");
}

TEST(StoreUrl, RefusesWhatItCannotRead) {
  for (const char* bad :
       {"", "orders.db", ":x", "sqlite:a%2", "sqlite:a%zz", "sqlite:a%00b", "sqlite:a?history"}) {
    EXPECT_THROW(static_cast<void>(parse_store_url(bad)), Error) << bad;
  }
}

TEST(StoreUrl, DoesNotQuoteWhatMayHoldAPassword) {
  try {
    static_cast<void>(parse_store_url("host=h password=s3cret"));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("s3cret"), std::string::npos);
  }
}

TEST(OpenStore, RefusesUnknownSchemesAndOptions) {
  for (const char* bad :
       {"mysql:x", "memory:place", "memory:?histroy=true", "memory:?retain_completed=1",
        "sqlite:", "sqlite::memory:", "sqlite:x.db?nonsense=true"}) {
    try {
      static_cast<void>(open_store(bad));
      ADD_FAILURE() << bad << " was opened";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << bad;
    }
  }
}

}  // namespace
}  // namespace penstock::store

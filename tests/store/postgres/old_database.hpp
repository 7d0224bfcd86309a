// A database of version 0.1.0 for the tests of the upgrade: its tables under prefix relaybus_, in a
// schema of the test's own.
#pragma once

#include <gmock/gmock.h>

#include <cstddef>
#include <optional>
#include <string>

#include "penstock/error.hpp"
#include "penstock/stores/postgres.hpp"
#include "store/postgres/database.hpp"
#include "support/postgres_server.hpp"

namespace penstock::postgres::detail {

class OldDatabase {
 public:
  OldDatabase();

  [[nodiscard]] PostgresStoreOptions options() const;
  [[nodiscard]] const std::string& schema() const noexcept { return schema_.name(); }
  [[nodiscard]] std::string server() const { return schema_.url(); }

  /// Makes the tables of 0.1.0 in place of whatever is there.
  void make_tables() const;
  /// Rows in every state.
  void fill() const;
  void fill_with(std::size_t rows) const;

  /// Runs SQL with the schema in the search path; the first value of the answer.
  std::string ask(const std::string& sql) const { return session_.ask(sql); }

  /// Upgrades, as setup does.
  void upgrade(OldLeases old_leases = OldLeases::respect) const;
  [[nodiscard]] std::optional<Error> refusal(OldLeases old_leases = OldLeases::respect) const;
  [[nodiscard]] bool is_old() const;
  [[nodiscard]] bool is_current() const;
  /// Tables, columns, constraints, indexes, parameters and functions, as text.
  [[nodiscard]] std::string shape() const;
  /// Every row of the tables of 0.1.0, as one number.
  [[nodiscard]] std::string old_content() const;

 private:
  test::TestSchema schema_;
  test::Session session_;
};

class UpgradeTest : public ::testing::Test {
 protected:
  OldDatabase old_;
};

}  // namespace penstock::postgres::detail

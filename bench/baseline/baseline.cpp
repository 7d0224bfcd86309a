// Opening the baseline, and making its tables.
#include "baseline.hpp"

#include "baseline_bus.hpp"
#include "store/baseline/sql.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/database.hpp"
#include "store/postgres/migrate.hpp"
#include "store/postgres/target.hpp"
#include "store/postgres/url.hpp"

namespace penstock::bench {

/// The tables of version 0.1.0, as the tests of the upgrade have them.
std::string_view layout_of_0_1_0() noexcept;

namespace {

using postgres::detail::Connection;
using postgres::detail::Database;
using postgres::detail::Names;
using postgres::detail::Preparing;
using postgres::detail::Target;

// What penstock's own functions set for themselves: a plan that was made while the tables were
// small must not read them whole when they are large.
constexpr char kPlanning[] = "-c%20enable_seqscan%3Doff%20-c%20jit%3Doff";

std::string with_planning(std::string connection) {
  const std::size_t options = connection.find("options=");
  if (options != std::string::npos) {
    return connection.insert(options + std::string_view("options=").size(),
                             std::string(kPlanning) + "%20");
  }
  connection += connection.find('?') == std::string::npos ? "?options=" : "&options=";
  return connection + kPlanning;
}

}  // namespace

PostgresStoreOptions baseline_options(const std::string& url) {
  PostgresStoreOptions options = postgres::detail::options_of_url(url);
  options.connection = with_planning(options.connection);
  options.schema = kBaselineSchema;
  options.prefix = "relaybus_";
  options.completion_history = false;
  return options;
}

namespace {

class BaselineStore final : public Store {
 public:
  explicit BaselineStore(const std::string& url) : database_(baseline_options(url)) {}
  [[nodiscard]] BusStore& bus() override { return bus_; }
  [[nodiscard]] QueueStore& queue() override {
    throw Error(ErrorKind::usage, "version 0.1.0 has no queue");
  }

 private:
  Database database_;
  BaselineBus bus_{database_};
};

}  // namespace

void make_baseline_tables(const std::string& url) {
  const PostgresStoreOptions options = baseline_options(url);
  const Names names(options.schema, options.prefix);
  Connection connection(Target(options.connection), names, Preparing::never, options.log);
  const std::string schema = postgres::detail::quoted_identifier(options.schema);
  connection.begin_operation("setup", postgres::detail::Stage::undone);
  connection.begin();
  connection.execute("drop schema if exists " + schema + " cascade; create schema " + schema +
                     "; set local search_path to " + schema);
  connection.execute(std::string(layout_of_0_1_0()));
  connection.execute(names.render(baseline::detail::sql::tables.text));
  connection.run(baseline::detail::sql::set_version,
                 std::int64_t{postgres::detail::current_schema_version()});
  connection.commit();
}

std::unique_ptr<Store> open_baseline(const std::string& url) {
  return std::make_unique<BaselineStore>(url);
}

}  // namespace penstock::bench

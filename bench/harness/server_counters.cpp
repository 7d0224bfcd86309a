// See server_counters.hpp.
#include "harness/server_counters.hpp"

#ifdef PENSTOCK_BENCH_POSTGRES
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "harness/session.hpp"
#endif

namespace penstock::bench {

#ifdef PENSTOCK_BENCH_POSTGRES
namespace {

constexpr std::chrono::seconds kPatience{3};
constexpr std::chrono::milliseconds kLook{10};

/// Extensions are a help, not a need: not every server has them, or lets us have them.
bool try_extension(Session& session, const std::string& name) {
  try {
    session.ask("create extension if not exists " + name);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

double as_number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

TupleCounters operator-(const TupleCounters& one, const TupleCounters& other) {
  return {.inserted = one.inserted - other.inserted,
          .updated = one.updated - other.updated,
          .heap_only = one.heap_only - other.heap_only,
          .deleted = one.deleted - other.deleted};
}

}  // namespace

class ServerCounters::Impl {
 public:
  Impl(const std::string& url, Layout layout) : session_(url), layout_(layout) {
    has_wal_ = try_extension(session_, "pg_walinspect");
    has_statements_ = try_extension(session_, "pg_stat_statements");
    if (has_statements_) has_statements_ = can_count_statements();
  }

  void begin() {
    session_.ask("checkpoint");
    await_sessions_ended();
    deliveries_ = tuples(table_of_work());
    lanes_ = tuples("penstock_bench.lanes");
    commits_ = commits();
    if (has_statements_) session_.ask("select pg_stat_statements_reset()");
    place_ = session_.ask("select pg_current_wal_flush_lsn()");
  }

  ServerCost end() {
    await_sessions_ended();
    ServerCost cost;
    count_wal(cost);
    if (has_statements_) {
      cost.statements = session_.number(
          "select coalesce(sum(calls), 0) from pg_stat_statements where dbid = (select oid from "
          "pg_database where datname = current_database())");
    }
    cost.commits = commits() - commits_;
    cost.deliveries = tuples(table_of_work()) - deliveries_;
    if (layout_ == Layout::penstock) cost.lanes = tuples("penstock_bench.lanes") - lanes_;
    cost.dead_tuples = session_.number("select coalesce(pg_stat_get_dead_tuples(to_regclass('" +
                                       table_of_work() + "')), 0)");
    return cost;
  }

 private:
  [[nodiscard]] std::string table_of_work() {
    // It has several, in turn.
    if (layout_ == Layout::pgq) {
      return session_.ask("select pgq.current_event_table('penstock_bench')");
    }
    return deliveries_table(layout_);
  }

  bool can_count_statements() {
    try {
      session_.ask("select count(*) from pg_stat_statements");
      // What this session asks is not the run's.
      session_.ask("set pg_stat_statements.track = 'none'");
      return true;
    } catch (const std::runtime_error&) {
      return false;  // It is not preloaded, or we may not look.
    }
  }

  double commits() {
    return session_.number(
        "select xact_commit from pg_stat_database where datname = current_database()");
  }

  TupleCounters tuples(const std::string& table) {
    const std::string of = "(to_regclass('" + table + "')), 0)";
    const std::vector<std::string> row = session_.row(
        "select coalesce(pg_stat_get_tuples_inserted" + of +
        ", coalesce(pg_stat_get_tuples_updated" + of + ", coalesce(pg_stat_get_tuples_hot_updated" +
        of + ", coalesce(pg_stat_get_tuples_deleted" + of);
    return {.inserted = as_number(row.at(0)),
            .updated = as_number(row.at(1)),
            .heap_only = as_number(row.at(2)),
            .deleted = as_number(row.at(3))};
  }

  void count_wal(ServerCost& cost) {
    const std::string place = session_.ask("select pg_current_wal_flush_lsn()");
    if (!has_wal_) {
      cost.wal_bytes = session_.number("select '" + place + "'::pg_lsn - '" + place_ + "'::pg_lsn");
      return;
    }
    const std::vector<std::string> row = session_.row(
        "select coalesce(sum(record_size), 0), coalesce(sum(fpi_size), 0) "
        "from pg_get_wal_stats('" +
        place_ + "'::pg_lsn, '" + place + "'::pg_lsn, false)");
    cost.wal_bytes = as_number(row.at(0));
    cost.image_bytes = as_number(row.at(1));
  }

  /// Those of the run; other people's may stay, so this does not wait for ever.
  void await_sessions_ended() {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (session_.number("select count(*) from pg_stat_activity where datname = "
                           "current_database() and backend_type = 'client backend' "
                           "and pid <> pg_backend_pid()") > 0 &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kLook);
    }
    session_.ask("select pg_stat_force_next_flush()");
  }

  Session session_;
  Layout layout_;
  bool has_wal_ = false;
  bool has_statements_ = false;
  std::string place_{};
  double commits_ = 0;
  TupleCounters deliveries_{};
  TupleCounters lanes_{};
};

ServerCounters::ServerCounters(const std::string& url, Layout layout)
    : impl_(is_postgres(url) ? std::make_unique<Impl>(url, layout) : nullptr) {}
ServerCounters::~ServerCounters() = default;
void ServerCounters::begin() {
  if (impl_) impl_->begin();
}
ServerCost ServerCounters::end() { return impl_ ? impl_->end() : ServerCost{}; }

#else

class ServerCounters::Impl {};
ServerCounters::ServerCounters(const std::string&, Layout) {}
ServerCounters::~ServerCounters() = default;
void ServerCounters::begin() {}
ServerCost ServerCounters::end() { return {}; }

#endif

}  // namespace penstock::bench

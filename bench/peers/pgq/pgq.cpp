// See pgq.hpp. Only what PgQ documents for its users is called, except to count what is left.
//
// Batches are as large as ticks are apart, 20 ms here: the harness calls pgq.ticker() that often
// itself, which is all that the daemon pgqd would do for a queue of this age. Of pgqd's defaults (a
// tick each second, or 500 events) the first event would wait for a second. Where nobody consumes
// there is no ticking either, in favour of PgQ.
#include "pgq.hpp"

#include <libpq-fe.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "harness/journal.hpp"
#include "harness/recorder.hpp"
#include "harness/session.hpp"
#include "harness/starting_line.hpp"
#include "peers/connection.hpp"

namespace penstock::bench {
namespace {

constexpr std::chrono::milliseconds kIdle{1};

constexpr char kMakeQueue[] = R"(
select pgq.create_queue('penstock_bench');
select pgq.set_queue_config('penstock_bench', 'ticker_max_count', '1');
select pgq.set_queue_config('penstock_bench', 'ticker_max_lag', '20 ms');
select pgq.set_queue_config('penstock_bench', 'ticker_idle_period', '20 ms');
select pgq.register_consumer('penstock_bench', 'bench');)";
constexpr char kRemoveQueue[] =
    "select pgq.drop_queue(queue_name, true) from pgq.get_queue_info() "
    "where queue_name = 'penstock_bench'";
constexpr char kInsert[] =
    "select count(pgq.insert_event('penstock_bench', 'bench.event', data)) "
    "from unnest($1::text[]) data";
constexpr char kTicker[] = "select pgq.ticker('penstock_bench')";
constexpr char kForceTick[] = "select pgq.force_tick('penstock_bench')";
constexpr char kNextBatch[] = "select pgq.next_batch('penstock_bench', 'bench')";
constexpr char kEvents[] = "select ev_id, ev_type, ev_data from pgq.get_batch_events($1)";
constexpr int kDataColumn = 2;
constexpr char kEventTables[] =
    "select queue_data_pfx from pgq.queue where queue_name = 'penstock_bench'";
/// Every event that is not before the last tick up to which the consumer has finished.
constexpr char kPending[] = R"(
select count(*) from pgq.subscription s
join pgq.queue q on q.queue_id = s.sub_queue and q.queue_name = 'penstock_bench'
join pgq.tick t on t.tick_queue = s.sub_queue and t.tick_id = s.sub_last_tick
join only_events e on not txid_visible_in_snapshot(e.ev_txid, t.tick_snapshot))";

std::string finish(const std::string& batch) { return "select pgq.finish_batch(" + batch + ");"; }

/// The consumer. A batch is finished in the transaction that asks for the next: one commit for
/// each.
class Consumer {
 public:
  Consumer(const std::string& url, Recorder& recorder) : connection_(url), recorder_(recorder) {
    connection_.prepare("events", kEvents);
  }

  /// False where there is no batch.
  bool step() {
    const Rows next = connection_.run((batch_.empty() ? "" : finish(batch_)) + kNextBatch);
    batch_ = PQgetvalue(next.get(), 0, 0);
    if (batch_.empty()) return false;
    const Rows events = connection_.run_prepared("events", batch_);
    for (int row = 0; row < PQntuples(events.get()); ++row) {
      recorder_.handle({PQgetvalue(events.get(), row, kDataColumn),
                        static_cast<std::size_t>(PQgetlength(events.get(), row, kDataColumn))});
    }
    return true;
  }

  void finish_last() {
    if (!batch_.empty()) connection_.run(finish(batch_));
    batch_.clear();
  }

 private:
  PeerConnection connection_;
  Recorder& recorder_;
  std::string batch_{};
};

class Pgq final : public Peer {
 public:
  explicit Pgq(std::string url) : url_(std::move(url)) {}

  void make_tables() override { Session(url_).row(kMakeQueue); }
  void remove_tables() override { Session(url_).row(kRemoveQueue); }

  PublishCall publisher() override {
    // Shared by the copies of a std::function, of which one thread uses one.
    const auto connection = std::make_shared<PeerConnection>(url_);
    connection->prepare("insert", kInsert);
    return
        [connection](std::span<const Event> events) { connection->run_prepared("insert", events); };
  }

  void tick() override {
    if (!ticking_) ticking_ = std::make_unique<Session>(url_);
    ticking_->row(kTicker);
  }

  void settle() override {
    Session session(url_);
    session.row(kForceTick);
    session.row(kTicker);
  }

  void dispatch(const std::filesystem::path& path) override {
    const WorkOrder order = read_order(path);
    Journal journal(order.journal);
    Recorder recorder(journal, order.keys, order.defect);
    Consumer consumer(order.url, recorder);
    if (await_beginning() == 0) return;
    Ticking ticking(*this);
    while (!has_been_told_to_end()) {
      if (!consumer.step()) std::this_thread::sleep_for(kIdle);
    }
    consumer.finish_last();
    ticking.end();
  }

  Leftover leftover() override {
    Session session(url_);
    const std::string events = session.ask(kEventTables);
    std::string sql = kPending;
    sql.replace(sql.find("only_events"), std::string("only_events").size(), events);
    return {.pending = std::strtoll(session.ask(sql).c_str(), nullptr, 10)};
  }

 private:
  std::string url_;
  std::unique_ptr<Session> ticking_{};
};

}  // namespace

std::unique_ptr<Peer> open_pgq(const std::string& url) { return std::make_unique<Pgq>(url); }

PresentPeer find_pgq(const std::string& url) {
  Session session(url);
  if (session.ask("select name from pg_available_extensions where name = 'pgq'").empty()) {
    throw std::runtime_error("the server has no extension pgq (package postgresql-15-pgq3)");
  }
  session.row("create extension if not exists pgq");
  return {.peer = Layout::pgq,
          .name = "PgQ",
          .version = session.ask("select extversion from pg_extension where extname = 'pgq'"),
          .payload = "256 bytes of text",
          .publish = "pgq.insert_event for each of unnest($1), one statement and commit a batch",
          .batch = "what was committed between two ticks, which are 20 ms apart",
          .acknowledged = "the batch as a whole, by its only consumer: lines of one process only"};
}

}  // namespace penstock::bench

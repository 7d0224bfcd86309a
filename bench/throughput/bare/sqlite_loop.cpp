// The SQLite store's own statements on its own tables, with the same durability, from one thread
// and without penstock: no dispatcher, no checks, no other workers. What is left over between this
// and penstock is the price of the runtime.
#include <algorithm>
#include <array>
#include <penstock/penstock.hpp>

#include "../contestant.hpp"
#include "raw_sqlite.hpp"
#include "store/sqlite/sql.hpp"
#include "work/lane_hash.hpp"

namespace penstock::bench {
namespace {

namespace sql = sqlite::detail::sql;

constexpr std::string_view kHandlers = "[\"bench\"]";
constexpr std::string_view kHandler = "bench";
constexpr std::string_view kWorker = "bare-loop";
constexpr std::int64_t kLeaseMicros = 30'000'000;

std::int64_t now() { return SystemClock{}.now().time_since_epoch().count(); }

struct Claimed {
  std::int64_t id = 0;
  std::int64_t lane = 0;
  std::int64_t claims = 0;
  std::int64_t epoch = 0;
  std::string key{};
  std::string payload{};
};

template <typename Append>
std::string json_array(const std::vector<Claimed>& claimed, Append append) {
  std::string json = "[";
  for (const Claimed& item : claimed) {
    if (json.size() > 1) json += ',';
    append(json, item);
  }
  return json + "]";
}

/// The statements that the store runs for a batch of publishes.
class Publisher {
 public:
  explicit Publisher(sqlite3* connection)
      : connection_(connection),
        subscriptions_(connection, sql::matching_subscriptions.text),
        next_sequence_(connection, sql::next_sequence.text),
        insert_event_(connection, sql::insert_event.text),
        insert_delivery_(connection, sql::insert_delivery.text) {}

  void publish(std::span<const Event> events) {
    execute(connection_, "begin immediate");
    subscriptions_.run();
    const std::int64_t at = now();
    for (const Event& event : events) insert(event, at);
    execute(connection_, "commit");
  }

 private:
  void insert(const Event& event, std::int64_t at) {
    const EventId id = EventId::generate();
    const std::string_view id_bytes{reinterpret_cast<const char*>(id.bytes().data()), 16};
    const std::string_view type = event.type;
    const std::string_view content_type = event.content_type;
    const RawBlob payload{event.payload};
    constexpr std::string_view kNoHeaders = "{}";
    if (!event.key) {
      insert_event_.run(RawBlob{id_bytes}, type, nullptr, content_type, kNoHeaders, kHandlers, at,
                        payload);
      insert_delivery_.run(row(), kHandler, nullptr, nullptr, lane(id.to_string()), at, kUnset);
      return;
    }
    const std::string_view key = *event.key;
    insert_event_.run(RawBlob{id_bytes}, type, key, content_type, kNoHeaders, kHandlers, at,
                      payload);
    const std::int64_t number = row();
    next_sequence_.start(key, at);
    next_sequence_.next();
    const std::int64_t sequence = next_sequence_.integer(0);
    next_sequence_.next();
    insert_delivery_.run(number, kHandler, key, sequence, lane(key), at, kUnset);
  }

  static constexpr std::int64_t kUnset = 0;
  [[nodiscard]] std::int64_t row() const { return sqlite3_last_insert_rowid(connection_); }
  static std::int64_t lane(std::string_view text) { return work::lane_of(text).value; }

  sqlite3* connection_;
  RawStatement subscriptions_;
  RawStatement next_sequence_;
  RawStatement insert_event_;
  RawStatement insert_delivery_;
};

/// The statements that the store runs for a claim and for the completion of its batch.
class Worker {
 public:
  explicit Worker(sqlite3* connection)
      : connection_(connection),
        pick_(connection, sql::pick.text),
        record_(connection, sql::record_in_flight.text),
        acquire_(connection, sql::acquire_lanes.text),
        hand_back_(connection, sql::hand_back.text),
        held_(connection, sql::held.text),
        complete_(connection, sql::complete.text),
        let_go_(connection, sql::let_go.text),
        promote_(connection, sql::promote.text) {}

  std::vector<Claimed> claim(std::size_t batch) {
    execute(connection_, "begin immediate");
    const std::int64_t at = now();
    constexpr std::int64_t kNotSuspect = 0;
    constexpr std::int64_t kFirstLane = 0;
    constexpr std::int64_t kLastLane = kLanes - 1;
    pick_.start(kHandler, kNotSuspect, kFirstLane, kLastLane, kWorker, at,
                static_cast<std::int64_t>(batch), kHandlers);
    std::vector<Claimed> claimed;
    while (pick_.next()) {
      claimed.push_back({.id = pick_.integer(0),
                         .lane = pick_.integer(1),
                         .claims = pick_.integer(5),
                         .key = pick_.bytes(3),
                         .payload = pick_.bytes(14)});
    }
    lease(claimed, at);
    execute(connection_, "commit");
    return claimed;
  }

  void complete(const std::vector<Claimed>& claimed) {
    execute(connection_, "begin immediate");
    const std::string tokens = json_array(claimed, [](std::string& json, const Claimed& item) {
      json += '[' + std::to_string(item.id) + ',' + std::to_string(item.lane) + ',' +
              std::to_string(item.epoch) + ',' + std::to_string(item.claims) + ']';
    });
    std::size_t held = 0;
    held_.start(std::string_view{tokens});
    while (held_.next()) ++held;
    if (held != claimed.size()) throw std::runtime_error("bare loop: a token was lost");
    complete_.run(std::string_view{ids_of(claimed)});
    let_go_.run(std::string_view{tokens});
    if (!claimed.front().key.empty()) {
      promote_.run(std::string_view{json_array(claimed, [](std::string& json, const Claimed& item) {
        json += "[\"" + item.key + "\",\"bench\"]";
      })});
    }
    execute(connection_, "commit");
  }

 private:
  static std::string ids_of(const std::vector<Claimed>& claimed) {
    return json_array(
        claimed, [](std::string& json, const Claimed& item) { json += std::to_string(item.id); });
  }

  void lease(std::vector<Claimed>& claimed, std::int64_t at) {
    if (!claimed.empty()) {
      record_.run(std::string_view{ids_of(claimed)});
      const std::string lanes = json_array(claimed, [](std::string& json, const Claimed& item) {
        json += std::to_string(item.lane);
      });
      std::array<std::int64_t, kLanes> epochs{};
      acquire_.start(kWorker, at, at + kLeaseMicros, std::string_view{lanes});
      while (acquire_.next()) {
        epochs.at(static_cast<std::size_t>(acquire_.integer(0))) = acquire_.integer(1);
      }
      for (Claimed& item : claimed) item.epoch = epochs.at(static_cast<std::size_t>(item.lane));
    }
    hand_back_.run(kWorker);
  }

  sqlite3* connection_;
  RawStatement pick_;
  RawStatement record_;
  RawStatement acquire_;
  RawStatement hand_back_;
  RawStatement held_;
  RawStatement complete_;
  RawStatement let_go_;
  RawStatement promote_;
};

class SqliteLoop final : public Contestant {
 public:
  Sample run(const Case& bench_case, const std::filesystem::path& folder) override {
    const std::string file = (folder / "bare.db").string();
    make_tables(file);
    const RawConnection connection = open_raw(file);
    execute(connection.get(), "pragma synchronous = full; pragma journal_size_limit = 67108864");
    HandledLog log(bench_case);
    const std::vector<Event> events = make_events(bench_case);
    Sample sample;

    Publisher publisher(connection.get());
    auto begin = std::chrono::steady_clock::now();
    for (std::size_t at = 0; at < events.size(); at += bench_case.batch) {
      publisher.publish(
          std::span(events).subspan(at, std::min(bench_case.batch, events.size() - at)));
    }
    sample.published_per_second = rate_since(begin, events.size());

    Worker worker(connection.get());
    begin = std::chrono::steady_clock::now();
    while (true) {
      const std::vector<Claimed> claimed = worker.claim(bench_case.batch);
      if (claimed.empty()) break;
      for (const Claimed& item : claimed) log.record(item.payload);
      worker.complete(claimed);
    }
    sample.dispatched_per_second = rate_since(begin, events.size());
    sample.exactness = log.check();
    return sample;
  }

 private:
  /// The tables and the subscription are penstock's own, made before the clock starts.
  static void make_tables(const std::string& file) {
    const auto store = open_store("sqlite:" + file);
    store->bus().setup(SetupMode::migrate);
    store->bus().subscribe({.handler = std::string(kHandler), .types = {kType}});
  }
};

}  // namespace

std::unique_ptr<Contestant> bare_sqlite_loop() { return std::make_unique<SqliteLoop>(); }

}  // namespace penstock::bench

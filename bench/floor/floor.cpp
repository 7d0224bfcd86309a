// See floor.hpp. Parameters and answers are texts: the server's work is what is measured.
#include "floor/floor.hpp"

#include <libpq-fe.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <penstock/bus_store.hpp>
#include <penstock/ids.hpp>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/paced_loop.hpp"
#include "harness/recorder.hpp"
#include "harness/starting_line.hpp"
#include "store/postgres/names.hpp"
#include "store/postgres/sql.hpp"
#include "work/lane_hash.hpp"

namespace penstock::bench {
namespace {

namespace sql = postgres::detail::sql;
using postgres::detail::SqlText;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

constexpr char kLeaseMicros[] = "30000000";
constexpr auto kLaneCount = static_cast<std::size_t>(kLanes);
constexpr std::chrono::milliseconds kIdle{1};
/// As the store does: staying in a lane keeps the leases of a busy worker few.
constexpr int kClaimsInOneLane = 8;
constexpr std::size_t kNearLanes = 8;
constexpr char kNever[] = "-infinity";

/// A statement of the store, in the benchmark's schema.
std::string in_schema(const SqlText& text) {
  return postgres::detail::Names(kSchema, "").render(text.text);
}

class BareConnection {
 public:
  explicit BareConnection(const std::string& url)
      : connection_(PQconnectdb(url.c_str()), &PQfinish) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) fail();
  }

  void prepare(const SqlText& text) {
    const Result result(PQprepare(connection_.get(), std::string(text.name).c_str(),
                                  in_schema(text).c_str(), 0, nullptr),
                        &PQclear);
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) fail();
  }

  Result run(const SqlText& text, std::span<const std::string> parameters) {
    std::vector<const char*> values;
    for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
    Result result(
        PQexecPrepared(connection_.get(), std::string(text.name).c_str(),
                       static_cast<int>(values.size()), values.data(), nullptr, nullptr, 0),
        &PQclear);
    if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) fail();
    return result;
  }

 private:
  [[noreturn]] void fail() {
    throw std::runtime_error(std::string("floor: ") + PQerrorMessage(connection_.get()));
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

/// The text form of an array, element by element.
class ArrayText {
 public:
  void add(std::string_view element) {
    if (!text_.empty()) text_ += ',';
    text_ += element;
  }
  [[nodiscard]] std::string value() const { return "{" + text_ + "}"; }

 private:
  std::string text_{};
};

/// The elements of an array's text form; those we meet hold no commas.
std::vector<std::string> elements_of(std::string_view text) {
  std::vector<std::string> elements;
  if (text.size() <= 2) return elements;
  text = text.substr(1, text.size() - 2);
  for (;;) {
    const std::size_t end = text.find(',');
    elements.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return elements;
    text.remove_prefix(end + 1);
  }
}

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\"\\\\x";
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text + '"';
}

std::string bytes_of(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t at = 2; at + 1 < hex.size(); at += 2) {
    bytes += static_cast<char>(digit(hex[at]) * 16 + digit(hex[at + 1]));
  }
  return bytes;
}

namespace column {
enum : int {
  id = 0,
  lane = 1,
  epoch = 2,
  claims = 3,
  payload = 14,
  cut = 18,
  cut_at = 19,
  cut_ids = 20,
  all_at = 22,
  held = 23
};
}  // namespace column

/// Claims and completes, and remembers between claims what the store remembers: where to read on in
/// each lane, and what is gone.
class BareDispatcher {
 public:
  BareDispatcher(const WorkOrder& order, Recorder& recorder)
      : connection_(order.url), recorder_(recorder), batch_(std::to_string(order.batch)) {
    connection_.prepare(sql::claim);
    connection_.prepare(sql::complete);
  }

  /// False where nothing was due.
  bool step() {
    const Result rows = claim();
    read_look(rows.get());
    read_cuts(rows.get());
    ArrayText ids;
    ArrayText lanes;
    ArrayText epochs;
    ArrayText claims;
    std::string first;
    std::string last;
    int count = 0;
    for (int row = 0; row < PQntuples(rows.get()); ++row) {
      if (PQgetisnull(rows.get(), row, column::id) != 0) continue;
      const auto text = [&](int field) { return PQgetvalue(rows.get(), row, field); };
      if (++count == 1) first = text(column::lane);
      last = text(column::lane);
      held_.insert(last);
      recorder_.handle(bytes_of(text(column::payload)));
      ids.add(text(column::id));
      lanes.add(text(column::lane));
      epochs.add(text(column::epoch));
      claims.add(text(column::claims));
    }
    was_full_ = std::to_string(count) == batch_;
    if (!was_full_) looked_at_ = kNever;
    if (count == 0) return look_again();
    move_on(first, last);
    const std::array<std::string, 5> tokens{ids.value(), lanes.value(), epochs.value(),
                                            claims.value(), "f"};
    const Result done = connection_.run(sql::complete, tokens);
    if (PQntuples(done.get()) != count) throw std::runtime_error("floor: a completion was lost");
    gone_ = ids.value();
    return true;
  }

 private:
  Result claim() {
    ArrayText at;
    ArrayText id;
    if (has_cursors_) {
      for (const std::string& one : cursor_at_) at.add(one);
      for (const std::string& one : cursor_ids_) id.add(one);
    }
    const std::array<std::string, 15> parameters{
        worker_,      "{bench}",  "{" + batch_ + "}", batch_, batch_,
        kLeaseMicros, "f",        first_lane_,        near(), looked_at_,
        "t",          at.value(), id.value(),         "",     gone_};
    gone_ = "{}";
    return connection_.run(sql::claim, parameters);
  }

  /// The lanes that fill the next batch, presumably, and those that may be held.
  [[nodiscard]] std::string near() const {
    if (!was_full_) return "{}";
    ArrayText lanes;
    for (const std::string& one : held_) lanes.add(one);
    for (std::size_t i = 0; i < kNearLanes; ++i) {
      lanes.add(std::to_string((std::stoul(first_lane_) + i) % kLaneCount));
    }
    return lanes.value();
  }

  void read_look(const PGresult* rows) {
    if (PQgetisnull(rows, 0, column::all_at) != 0) return;
    looked_at_ = PQgetvalue(rows, 0, column::all_at);
    held_.clear();
    if (PQgetisnull(rows, 0, column::held) != 0) return;
    for (const std::string& one : elements_of(PQgetvalue(rows, 0, column::held))) held_.insert(one);
  }

  void read_cuts(const PGresult* rows) {
    if (PQgetisnull(rows, 0, column::cut) != 0) return;
    const auto lanes = elements_of(PQgetvalue(rows, 0, column::cut));
    const auto at = elements_of(PQgetvalue(rows, 0, column::cut_at));
    const auto ids = elements_of(PQgetvalue(rows, 0, column::cut_ids));
    has_cursors_ = has_cursors_ || !lanes.empty();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const std::size_t lane = std::stoul(lanes[i]);
      cursor_at_.at(lane) = at.at(i);
      cursor_ids_.at(lane) = ids.at(i);
    }
  }

  void move_on(const std::string& first, const std::string& last) {
    if (++claims_here_ < kClaimsInOneLane) {
      first_lane_ = first;
    } else {
      first_lane_ = std::to_string((std::stoul(last) + 1) % kLaneCount);
      claims_here_ = 0;
    }
  }

  /// Before the cursors there may be something again.
  bool look_again() {
    if (!has_cursors_) return false;
    has_cursors_ = false;
    cursor_at_.assign(kLaneCount, "NULL");
    cursor_ids_.assign(kLaneCount, "0");
    return true;
  }

  BareConnection connection_;
  Recorder& recorder_;
  std::string batch_;
  std::string worker_ = WorkerId::incarnation_of("floor").value();
  std::string first_lane_ = std::to_string(work::lane_of(worker_).value);
  int claims_here_ = 0;
  bool was_full_ = false;
  std::string looked_at_ = kNever;
  std::set<std::string> held_{};
  std::string gone_ = "{}";
  bool has_cursors_ = false;
  std::vector<std::string> cursor_at_ = std::vector<std::string>(kLaneCount, "NULL");
  std::vector<std::string> cursor_ids_ = std::vector<std::string>(kLaneCount, "0");
};

void publish_bare(BareConnection& connection, std::span<const Event> events) {
  ArrayText ids;
  ArrayText types;
  ArrayText keys;
  ArrayText content_types;
  ArrayText headers;
  ArrayText payloads;
  ArrayText lanes;
  for (const Event& event : events) {
    const std::string id = EventId::generate().to_string();
    ids.add(id);
    types.add(event.type);
    keys.add(event.key ? *event.key : "NULL");
    content_types.add(event.content_type);
    headers.add("\"{}\"");
    payloads.add(hex_of(event.payload));
    lanes.add(std::to_string(work::lane_of(event.key ? *event.key : id).value));
  }
  const std::array<std::string, 7> parameters{
      ids.value(),     types.value(),    keys.value(), content_types.value(),
      headers.value(), payloads.value(), lanes.value()};
  connection.run(sql::publish, parameters);
}

void publish_one_bare(BareConnection& connection, const Event& event) {
  const std::string id = EventId::generate().to_string();
  const std::string quoted = hex_of(event.payload);  // As an element of an array.
  const std::array<std::string, 7> parameters{
      id,
      event.type,
      event.key.value_or(""),
      event.content_type,
      "{}",
      quoted.substr(2, quoted.size() - 3),
      std::to_string(work::lane_of(event.key ? *event.key : id).value)};
  connection.run(sql::publish_one, parameters);
}

}  // namespace

void floor_dispatch(const WorkOrder& order) {
  Journal journal(order.journal);
  Recorder recorder(journal, order.keys, order.defect);
  BareDispatcher dispatcher(order, recorder);
  if (await_beginning() == 0) return;
  while (!has_been_told_to_end()) {
    if (!dispatcher.step()) std::this_thread::sleep_for(kIdle);
  }
}

void floor_publish(const WorkOrder& order) {
  run_publishers(order, [&order](std::size_t) -> PublishCall {
    // Shared by the copies of a std::function, of which one thread uses one.
    const auto connection = std::make_shared<BareConnection>(order.url);
    connection->prepare(sql::publish);
    connection->prepare(sql::publish_one);
    return [connection](std::span<const Event> events) {
      if (events.size() == 1 && events.front().key) {
        publish_one_bare(*connection, events.front());
      } else {
        publish_bare(*connection, events);
      }
    };
  });
}

}  // namespace penstock::bench

// Publish: one statement for each chunk of events, all chunks in one transaction, ours or the
// caller's. Chunks bound the memory that a huge batch takes here and on the server.
#include <algorithm>

#include "store/postgres/bus/headers.hpp"
#include "store/postgres/bus/postgres_bus.hpp"
#include "store/postgres/sql.hpp"
#include "work/check.hpp"
#include "work/lane_hash.hpp"

namespace penstock::postgres::detail {
namespace {

constexpr std::size_t kChunkEvents = 1'000;
constexpr std::size_t kKeysAtOnce = 10'000;
constexpr std::size_t kChunkBytes = std::size_t{4} * 1024 * 1024;

/// The parameters of publish.sql for some events.
struct Chunk {
  std::vector<EventId> ids;
  std::vector<std::string_view> types;
  std::vector<std::optional<std::string_view>> keys;
  std::vector<std::string_view> content_types;
  std::vector<std::string> headers;
  std::vector<Bytes> payloads;
  std::vector<std::int32_t> lanes;

  void add(const Event& event, const EventId& id) {
    ids.push_back(id);
    types.emplace_back(event.type);
    keys.emplace_back(event.key);
    content_types.emplace_back(event.content_type);
    headers.push_back(headers_to_json(event.headers));
    payloads.push_back({event.payload});
    lanes.push_back(event.key ? work::lane_of(*event.key).value
                              : work::lane_of(id.to_string()).value);
  }
};

void store(Connection& connection, const Chunk& chunk, std::vector<Published>& published) {
  std::vector<Json> headers;
  headers.reserve(chunk.headers.size());
  for (const std::string& text : chunk.headers) headers.push_back({text});
  const Result rows = connection.query(sql::publish, chunk.ids, chunk.types, chunk.keys,
                                       chunk.content_types, headers, chunk.payloads, chunk.lanes);
  for (const Row row : rows) {
    const auto place = static_cast<std::size_t>(row.integer(0) - 1);
    published.push_back(
        {.id = chunk.ids.at(place),
         .status = row.boolean(1) ? PublishStatus::created : PublishStatus::duplicate,
         .handlers = row.texts(2)});
  }
}

/// The same for one event, which is what most calls publish.
void store_one(Connection& connection, const Event& event, std::vector<Published>& published) {
  const EventId id = event.id ? *event.id : EventId::generate();
  const std::int32_t lane =
      (event.key ? work::lane_of(*event.key) : work::lane_of(id.to_string())).value;
  const std::string headers = headers_to_json(event.headers);
  const Result rows =
      connection.query(sql::publish_one, id, event.type, event.key, event.content_type,
                       Json{headers}, Bytes{event.payload}, lane);
  const Row row = rows.only();
  published.push_back({.id = id,
                       .status = row.boolean(0) ? PublishStatus::created : PublishStatus::duplicate,
                       .handlers = row.texts(1)});
}

// In parts of bounded size, in the one order that everybody keeps: that of the bytes.
void lock_keys(Connection& connection, std::span<const Event> events) {
  std::vector<std::string_view> keys;
  for (const Event& event : events) {
    if (event.key) keys.emplace_back(*event.key);
  }
  std::ranges::sort(keys);
  const auto repeated = std::ranges::unique(keys);
  keys.erase(repeated.begin(), repeated.end());
  for (std::size_t first = 0; first < keys.size(); first += kKeysAtOnce) {
    const std::size_t size = std::min(kKeysAtOnce, keys.size() - first);
    connection.run(sql::lock_keys, std::span<const std::string_view>{keys}.subspan(first, size));
  }
}

/// Which events follow one another in a chunk.
std::vector<std::span<const Event>> parts_of(std::span<const Event> events) {
  std::vector<std::span<const Event>> parts;
  std::size_t first = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    bytes += events[i].payload.size();
    if (i + 1 - first < kChunkEvents && bytes < kChunkBytes && i + 1 < events.size()) continue;
    parts.push_back(events.subspan(first, i + 1 - first));
    first = i + 1;
    bytes = 0;
  }
  return parts;
}

}  // namespace

std::vector<Published> PostgresBus::publish(std::span<const Event> events,
                                            const Transaction* transaction) {
  for (const Event& event : events) work::check_event(event, database_.options().max_payload);
  const std::vector<std::span<const Event>> parts = parts_of(events);
  const auto publish_all = [&](Connection& connection) {
    std::vector<Published> published;
    published.reserve(events.size());
    if (parts.size() > 1) lock_keys(connection, events);
    for (const std::span<const Event> part : parts) {
      if (part.size() == 1) {
        store_one(connection, part.front(), published);
        continue;
      }
      Chunk chunk;
      for (const Event& event : part) chunk.add(event, event.id ? *event.id : EventId::generate());
      store(connection, chunk, published);
    }
    return published;
  };
  if (transaction != nullptr) return database_.write_in(*transaction, "publish", publish_all);
  if (parts.empty()) return {};
  std::vector<Published> published = parts.size() == 1
                                         ? database_.write("publish", publish_all)
                                         : database_.transact("publish", Effect::once, publish_all);
  database_.hints().raise();
  return published;
}

}  // namespace penstock::postgres::detail

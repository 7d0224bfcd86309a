// Publish: all chunks in one pipeline, which is one transaction and one round trip.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "baseline_bus.hpp"
#include "store/baseline/sql.hpp"
#include "store/postgres/pipeline.hpp"
#include "stored_payload.hpp"
#include "work/check.hpp"

namespace penstock::bench {
namespace {

using postgres::detail::Connection;
using postgres::detail::Json;
using postgres::detail::Pipeline;
using postgres::detail::Result;
using postgres::detail::Row;
namespace sql = baseline::detail::sql;

constexpr std::size_t kChunkEvents = 1'000;

/// The parameters of some events.
struct Chunk {
  std::vector<std::string> ids;
  std::vector<std::string_view> types;
  std::vector<std::optional<std::string_view>> keys;
  std::vector<StoredEvent> stored_events;

  void add(const Event& event, const EventId& id) {
    ids.push_back(id.to_string());
    types.emplace_back(event.type);
    keys.emplace_back(event.key);
    stored_events.push_back(stored(event));
  }
  [[nodiscard]] bool has_keys() const {
    return std::ranges::any_of(keys, [](const auto& key) { return key.has_value(); });
  }
};

void add_to(Pipeline& pipeline, const Chunk& chunk) {
  std::vector<Json> payloads;
  std::vector<Json> headers;
  for (const StoredEvent& event : chunk.stored_events) {
    payloads.push_back({event.payload});
    headers.push_back({event.headers});
  }
  pipeline.add(sql::publish_events, chunk.ids, chunk.types, chunk.keys, payloads, headers);
  if (chunk.has_keys()) pipeline.add(sql::publish_keys, chunk.keys);
  pipeline.add(sql::publish_deliveries, chunk.ids, chunk.keys);
}

/// What the statements of all chunks answered.
class Answers {
 public:
  void read_events(const Result& rows) {
    for (const Row row : rows) created_.emplace(row.text(0));
  }
  void read_deliveries(const Result& rows) {
    for (const Row row : rows) {
      handlers_[std::string(row.text(0))].emplace_back(row.text(1));
    }
  }
  /// Of an id that stands twice the first answer is that of the new event.
  [[nodiscard]] Published take(const EventId& id) {
    const std::string text = id.to_string();
    Published published{.id = id, .status = PublishStatus::duplicate};
    if (created_.erase(text) > 0) published.status = PublishStatus::created;
    const auto found = handlers_.find(text);
    if (found == handlers_.end()) return published;
    published.handlers = std::move(found->second);
    handlers_.erase(found);
    return published;
  }

 private:
  std::unordered_set<std::string> created_;
  std::unordered_map<std::string, std::vector<std::string>> handlers_;
};

std::vector<Published> publish_all(Connection& connection, std::span<const Chunk> chunks,
                                   std::span<const EventId> ids) {
  Pipeline pipeline(connection);
  for (const Chunk& chunk : chunks) add_to(pipeline, chunk);
  const std::vector<Result> results = pipeline.finish();
  Answers answers;
  std::size_t at = 0;
  for (const Chunk& chunk : chunks) {
    answers.read_events(results.at(at));
    at += std::size_t{1} + (chunk.has_keys() ? 1U : 0U);
    answers.read_deliveries(results.at(at));
    ++at;
  }
  std::vector<Published> published;
  published.reserve(ids.size());
  for (const EventId& id : ids) published.push_back(answers.take(id));
  return published;
}

}  // namespace

std::vector<Published> BaselineBus::publish(std::span<const Event> events,
                                            const Transaction* transaction) {
  for (const Event& event : events) work::check_event(event, database_.options().max_payload);
  if (events.empty()) return {};
  std::vector<EventId> ids;
  std::vector<Chunk> chunks;
  ids.reserve(events.size());
  for (const Event& event : events) {
    if (ids.size() % kChunkEvents == 0) chunks.emplace_back();
    ids.push_back(event.id ? *event.id : EventId::generate());
    chunks.back().add(event, ids.back());
  }
  const auto publish = [&](Connection& connection) { return publish_all(connection, chunks, ids); };
  if (transaction != nullptr) return database_.write_in(*transaction, "publish", publish);
  return database_.write("publish", publish);
}

}  // namespace penstock::bench

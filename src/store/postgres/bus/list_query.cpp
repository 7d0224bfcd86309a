// Listings for the operator: pages by id, over what is stored and over the history.
#include "store/postgres/bus/list_query.hpp"

#include <algorithm>

#include "store/postgres/bus/headers.hpp"
#include "store/postgres/bus/postgres_bus.hpp"
#include "store/postgres/sql.hpp"
#include "work/check.hpp"

namespace penstock::postgres::detail {
namespace {

constexpr std::size_t kSelectedAtOnce = 1'000;

/// Conditions joined by AND, with their parameters.
class Conditions {
 public:
  void add(std::string_view condition) {
    text_ += (text_.empty() ? " where " : " and ") + std::string(condition);
  }
  /// `condition` names its parameter ?.
  template <typename Value>
  void add(std::string_view condition, const Value& value) {
    parameters_.add(value);
    std::string numbered(condition);
    numbered.replace(numbered.find('?'), 1, "$" + std::to_string(parameters_.count()));
    add(numbered);
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }

 private:
  std::string text_;
  Parameters parameters_;
};

// The columns are the same for stored and completed deliveries.
constexpr std::string_view kStored = R"sql(
  select d.id, d.handler, d.key, d.sequence, d.lane, d.status, d.attempts, d.suspect,
         d.available_at, d.created_at, d.updated_at, d.last_error,
         d.status = 'pending' and d.id = any(l.in_flight), l.lease_owner, l.lease_expires_at,
         d.event_id, coalesce(e.type, ''), e.content_type, e.headers)sql";
constexpr std::string_view kStoredFrom = R"sql(
  from :"schema".:"deliveries" d
  join :"schema".:"lanes" l on l.lane = d.lane
  left join :"schema".:"events" e on e.id = d.event_id)sql";
constexpr std::string_view kCompleted = R"sql(
  select c.id, c.handler, c.key, c.sequence, c.lane, 'completed', c.attempts, c.suspect,
         c.available_at, c.created_at, c.completed_at, c.last_error,
         false, null::text, null::timestamptz,
         c.event_id, c.type, e.content_type, e.headers)sql";
constexpr std::string_view kCompletedFrom = R"sql(
  from :"schema".:"completed" c
  left join :"schema".:"events" e on e.id = c.event_id)sql";

Conditions stored_conditions(const ListQuery& query) {
  Conditions conditions;
  conditions.add("d.id > ?", query.after.value);
  if (query.delivery_id) conditions.add("d.id = ?", query.delivery_id->value);
  if (query.event_id) conditions.add("d.event_id = ?", *query.event_id);
  if (query.handler) conditions.add("d.handler = ?", *query.handler);
  if (query.type) conditions.add("e.type = ?", *query.type);
  if (query.key) conditions.add("d.key = ?", *query.key);
  if (query.status == DeliveryStatus::pending) {
    conditions.add("d.status = 'pending' and d.id <> all(l.in_flight)");
  }
  if (query.status == DeliveryStatus::in_flight) {
    conditions.add("d.status = 'pending' and d.id = any(l.in_flight)");
  }
  if (query.status == DeliveryStatus::dead) conditions.add("d.status = 'dead'");
  if (query.status == DeliveryStatus::completed) conditions.add("d.status = 'completed'");
  return conditions;
}

Conditions completed_conditions(const ListQuery& query) {
  Conditions conditions;
  conditions.add("c.id > ?", query.after.value);
  if (query.delivery_id) conditions.add("c.id = ?", query.delivery_id->value);
  if (query.event_id) conditions.add("c.event_id = ?", *query.event_id);
  if (query.handler) conditions.add("c.handler = ?", *query.handler);
  if (query.type) conditions.add("c.type = ?", *query.type);
  if (query.key) conditions.add("c.key = ?", *query.key);
  return conditions;
}

DeliveryStatus status_of(const Row& row) {
  const std::string_view stored = row.text(5);
  if (stored == "dead") return DeliveryStatus::dead;
  if (stored == "completed") return DeliveryStatus::completed;
  return row.boolean(12) ? DeliveryStatus::in_flight : DeliveryStatus::pending;
}

DeliveryInfo info_of(const Row& row, Detail detail) {
  DeliveryInfo info{.id = DeliveryId{row.integer(0)},
                    .event_id = row.uuid(15),
                    .handler = std::string(row.text(1)),
                    .type = std::string(row.text(16)),
                    .key = row.optional_text(2),
                    .sequence = row.optional_integer(3),
                    .lane = LaneId{static_cast<std::int32_t>(row.integer(4))},
                    .status = status_of(row),
                    .attempts = static_cast<int>(row.integer(6)),
                    .suspect = row.boolean(7),
                    .available_at = row.time(8),
                    .created_at = row.time(9),
                    .updated_at = row.time(10),
                    .last_error = std::string(row.text(11))};
  if (info.status == DeliveryStatus::in_flight) {
    info.lease_owner = row.optional_text(13);
    info.lease_expires_at = row.optional_time(14);
  }
  if (detail == Detail::with_event && !row.is_null(17)) {
    info.event = std::make_shared<const Event>(Event{.type = info.type,
                                                     .key = info.key,
                                                     .payload = std::string(row.bytes(19)),
                                                     .id = info.event_id,
                                                     .content_type = std::string(row.text(17)),
                                                     .headers = headers_from_json(row.text(18))});
  }
  return info;
}

struct Part {
  std::string_view columns;
  std::string_view from;
  std::string_view id;
};

void read_part(Connection& connection, const Part& part, const Conditions& conditions,
               const ListQuery& query, std::vector<DeliveryInfo>& items) {
  const std::string_view payload = query.detail == Detail::with_event ? ", e.payload" : "";
  const std::string text = std::string(part.columns) + std::string(payload) +
                           std::string(part.from) + conditions.text() + " order by " +
                           std::string(part.id) + " limit " + std::to_string(query.limit + 1);
  const Result rows =
      connection.send_text("list", connection.names().render(text), conditions.parameters());
  for (const Row row : rows) items.push_back(info_of(row, query.detail));
}

}  // namespace

DeliveryPage PostgresBus::list(const ListQuery& asked) {
  work::check_list_query(asked);
  ListQuery query = asked;
  query.limit = std::min<std::size_t>(asked.limit, 1'000'000);
  return database_.read_snapshot("list", [&](Connection& connection) {
    DeliveryPage page{.at = connection.query(sql::now).only().time(0)};
    read_part(connection, {.columns = kStored, .from = kStoredFrom, .id = "d.id"},
              stored_conditions(query), query, page.items);
    const bool completed = !query.status || query.status == DeliveryStatus::completed;
    if (completed && database_.options().completion_history) {
      read_part(connection, {.columns = kCompleted, .from = kCompletedFrom, .id = "c.id"},
                completed_conditions(query), query, page.items);
    }
    std::ranges::sort(page.items, {}, &DeliveryInfo::id);
    if (page.items.size() > query.limit) {
      page.items.erase(page.items.begin() + static_cast<std::ptrdiff_t>(query.limit),
                       page.items.end());
      page.next = page.items.back().id;
    }
    return page;
  });
}

std::vector<SelectedDelivery> selected_deliveries(Connection& connection,
                                                  const Selection& selection,
                                                  std::string_view status, std::int64_t after) {
  Conditions conditions;
  conditions.add("d.id > ?", after);
  conditions.add("d.status = ?", status);
  if (selection.delivery_id) conditions.add("d.id = ?", selection.delivery_id->value);
  if (selection.event_id) conditions.add("d.event_id = ?", *selection.event_id);
  if (selection.handler) conditions.add("d.handler = ?", *selection.handler);
  const std::string text = connection.names().render(
      R"sql(select d.id, d.last_error from :"schema".:"deliveries" d)sql" + conditions.text() +
      " order by d.id limit " + std::to_string(kSelectedAtOnce));
  const Result rows = connection.send_text("select", text, conditions.parameters());
  std::vector<SelectedDelivery> selected;
  for (const Row row : rows) {
    selected.push_back({.id = row.integer(0), .last_error = std::string(row.text(1))});
  }
  return selected;
}

}  // namespace penstock::postgres::detail

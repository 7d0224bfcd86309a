// Listings for the operator: pages by id, over what is stored and over the history.
#include "store/sqlite/bus/list_query.hpp"

#include <algorithm>
#include <variant>

#include "store/sqlite/bus/sqlite_bus.hpp"
#include "store/sqlite/bus/stored_event.hpp"
#include "work/check.hpp"

namespace penstock::sqlite::detail {
namespace {

/// Conditions joined by AND, with their parameters.
class Conditions {
 public:
  using Value = std::variant<std::int64_t, std::string, EventId>;

  void add(std::string_view condition) {
    text_ += (text_.empty() ? " where " : " and ") + std::string(condition);
  }
  /// `condition` names its parameter ?.
  void add(std::string_view condition, Value value) {
    add(condition);
    values_.push_back(std::move(value));
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  void bind(Statement& statement) const {
    int index = 0;
    for (const Value& value : values_) {
      ++index;
      if (const auto* number = std::get_if<std::int64_t>(&value)) statement.bind(index, *number);
      if (const auto* words = std::get_if<std::string>(&value)) statement.bind(index, *words);
      if (const auto* id = std::get_if<EventId>(&value)) {
        const auto* bytes = reinterpret_cast<const char*>(id->bytes().data());
        statement.bind(index, Blob{{bytes, id->bytes().size()}});
      }
    }
  }

 private:
  std::string text_;
  std::vector<Value> values_;
};

// The first 17 columns are the same for stored and completed deliveries.
constexpr std::string_view kStored =
    "select d.id, d.event, d.handler, d.key, d.sequence, d.lane, d.status, d.attempts, d.suspect,"
    " d.available_at, d.created_at, d.updated_at, d.last_error,"
    " f.delivery, l.lease_owner, l.lease_expires_at,"
    " e.id, e.type, e.content_type, e.headers, e.created_at";
constexpr std::string_view kStoredFrom =
    " from penstock_deliveries d left join penstock_events e on e.number = d.event"
    " left join penstock_in_flight f on f.lane = d.lane and f.delivery = d.id"
    " left join penstock_lanes l on l.lane = f.lane";
constexpr std::string_view kCompleted =
    "select c.id, e.number, c.handler, c.key, c.sequence, c.lane, 'completed', c.attempts,"
    " c.suspect, c.available_at, c.created_at, c.completed_at, c.last_error,"
    " null, null, null, c.event_id, c.type, e.content_type, e.headers, e.created_at";
constexpr std::string_view kCompletedFrom =
    " from penstock_completed c left join penstock_events e on e.id = c.event_id";

// Where another index selects, the unary plus keeps SQLite from walking all ids instead.
std::string id_after(std::string_view id, bool by_another_index) {
  return (by_another_index ? "+" : "") + std::string(id) + " > ?";
}

Conditions stored_conditions(const ListQuery& query) {
  Conditions conditions;
  const bool by_other = query.event_id || query.key;
  conditions.add(id_after("d.id", by_other), query.after.value);
  if (query.delivery_id) conditions.add("d.id = ?", query.delivery_id->value);
  if (query.event_id) {
    conditions.add("d.event = (select number from penstock_events where id = ?)", *query.event_id);
  }
  if (query.handler) conditions.add("d.handler = ?", *query.handler);
  if (query.type) conditions.add("e.type = ?", *query.type);
  if (query.key) conditions.add("d.key = ?", *query.key);
  if (query.status == DeliveryStatus::pending) {
    conditions.add("d.status = 'pending' and f.delivery is null");
  }
  if (query.status == DeliveryStatus::in_flight) {
    conditions.add("d.status = 'pending' and d.id in (select delivery from penstock_in_flight)");
  }
  if (query.status == DeliveryStatus::dead) conditions.add("d.status = 'dead'");
  return conditions;
}

Conditions completed_conditions(const ListQuery& query) {
  Conditions conditions;
  conditions.add(id_after("c.id", query.event_id.has_value()), query.after.value);
  if (query.delivery_id) conditions.add("c.id = ?", query.delivery_id->value);
  if (query.event_id) conditions.add("c.event_id = ?", *query.event_id);
  if (query.handler) conditions.add("c.handler = ?", *query.handler);
  if (query.type) conditions.add("c.type = ?", *query.type);
  if (query.key) conditions.add("c.key = ?", *query.key);
  return conditions;
}

DeliveryStatus status_of(const Query& row) {
  const std::string_view stored = row.text(6);
  if (stored == "dead") return DeliveryStatus::dead;
  if (stored == "completed") return DeliveryStatus::completed;
  return row.is_null(13) ? DeliveryStatus::pending : DeliveryStatus::in_flight;
}

DeliveryInfo info_of(const Query& row, Detail detail) {
  DeliveryInfo info{.id = DeliveryId{row.integer(0)},
                    .handler = std::string(row.text(2)),
                    .type = std::string(row.text(17)),
                    .key = row.optional_text(3),
                    .sequence = row.optional_integer(4),
                    .lane = LaneId{static_cast<std::int32_t>(row.integer(5))},
                    .status = status_of(row),
                    .attempts = static_cast<int>(row.integer(7)),
                    .suspect = row.integer(8) != 0,
                    .available_at = row.time(9),
                    .created_at = row.time(10),
                    .updated_at = row.time(11),
                    .last_error = std::string(row.text(12))};
  if (!row.is_null(16)) info.event_id = event_id(row, 16);
  if (info.status == DeliveryStatus::in_flight) {
    info.lease_owner = row.optional_text(14);
    info.lease_expires_at = row.optional_time(15);
  }
  const bool event_is_kept = !row.is_null(1) && !row.is_null(16) && !row.is_null(18);
  if (detail == Detail::with_event && event_is_kept) {
    info.event = std::make_shared<const Event>(stored_event(row, 16));
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
  Statement statement{connection, "list", text};
  Query rows{statement};
  conditions.bind(statement);
  while (rows.next()) items.push_back(info_of(rows, query.detail));
}

}  // namespace

DeliveryPage SqliteBus::list(const ListQuery& asked) {
  work::check_list_query(asked);
  ListQuery query = asked;
  query.limit = std::min<std::size_t>(asked.limit, 1'000'000);
  return database_.read("list", [&](Connection& connection) {
    DeliveryPage page{.at = database_.now()};
    if (query.status != DeliveryStatus::completed) {
      read_part(connection, {.columns = kStored, .from = kStoredFrom, .id = "d.id"},
                stored_conditions(query), query, page.items);
    }
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
  conditions.add(id_after("d.id", selection.event_id.has_value()), after);
  conditions.add("d.status = ?", std::string(status));
  if (selection.delivery_id) conditions.add("d.id = ?", selection.delivery_id->value);
  if (selection.event_id) {
    conditions.add("d.event = (select number from penstock_events where id = ?)",
                   *selection.event_id);
  }
  if (selection.handler) conditions.add("d.handler = ?", *selection.handler);
  Statement statement{
      connection, "select",
      "select d.id, d.lane, d.handler, d.key, d.last_error from penstock_deliveries d" +
          conditions.text() + " order by d.id limit " + std::to_string(kSelectedAtOnce)};
  Query rows{statement};
  conditions.bind(statement);
  std::vector<SelectedDelivery> selected;
  while (rows.next()) {
    selected.push_back({.id = rows.integer(0),
                        .lane = rows.integer(1),
                        .handler = std::string(rows.text(2)),
                        .key = rows.optional_text(3),
                        .last_error = std::string(rows.text(4))});
  }
  return selected;
}

}  // namespace penstock::sqlite::detail

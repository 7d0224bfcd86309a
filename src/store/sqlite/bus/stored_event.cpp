// Reading events back.
#include "store/sqlite/bus/stored_event.hpp"

#include <algorithm>

#include "penstock/error.hpp"
#include "store/sqlite/json.hpp"

namespace penstock::sqlite::detail {

EventId event_id(const Query& row, int column) {
  const std::string_view blob = row.blob(column);
  EventId::Bytes bytes{};
  if (blob.size() != bytes.size()) {
    throw Error(ErrorKind::internal, "the stored id of an event has " +
                                         std::to_string(blob.size()) + " bytes instead of 16");
  }
  std::ranges::copy(blob, bytes.begin());
  return EventId{bytes};
}

Event stored_event(const Query& row, int first) {
  return {.type = std::string(row.text(first + 1)),
          .key = row.optional_text(3),
          .payload = std::string(row.blob(first + 5)),
          .id = event_id(row, first),
          .content_type = std::string(row.text(first + 2)),
          .headers = headers_from_json(row.text(first + 3))};
}

}  // namespace penstock::sqlite::detail

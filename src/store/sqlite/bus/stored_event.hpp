// An event as the statements return it: id, type, content type, headers, created at, payload; the
// key stands elsewhere in a row.
#pragma once

#include "penstock/event.hpp"
#include "store/sqlite/statement.hpp"

namespace penstock::sqlite::detail {

/// Throws: internal, where the blob is no id.
[[nodiscard]] EventId event_id(const Query& row, int column);

/// Of a row of pick.sql, runs.sql or a listing. `first` is the column of the id; the key is in
/// column 3.
[[nodiscard]] Event stored_event(const Query& row, int first);

}  // namespace penstock::sqlite::detail

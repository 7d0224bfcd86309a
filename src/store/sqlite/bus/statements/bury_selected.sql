-- An operator's end of pending deliveries, in flight or not. A running attempt finds its token lost,
-- because claims grows.
-- ?1 JSON array of ids, ?2 now, ?3 reason
-- Locks:   the file, for writing.
-- Index:   penstock_deliveries' rowid.
update penstock_deliveries
set status = 'dead', claims = claims + 1, updated_at = ?2, last_error = ?3
where id in (select value from json_each(?1)) and status = 'pending'

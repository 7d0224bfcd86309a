-- An operator's end of pending deliveries, in flight or not. A running attempt finds its token lost,
-- because claims grows.
-- ?1 JSON array of [id, last error], ?2 now
-- Locks:   the file, for writing.
-- Index:   penstock_deliveries' rowid.
update penstock_deliveries
set status = 'dead', claims = claims + 1, updated_at = ?2, last_error = t.value ->> 1
from json_each(?1) t
where penstock_deliveries.id = t.value ->> 0 and status = 'pending'

-- Ends attempts for good. Their tokens were checked by held.sql.
-- ?1 JSON array of [id, reason], ?2 now
-- Locks:   the file, for writing.
-- Index:   penstock_deliveries' rowid.
update penstock_deliveries
set status = 'dead', attempts = attempts + 1, claims = claims + 1, suspect = 0,
    updated_at = ?2, last_error = t.value ->> 1
from json_each(?1) t
where penstock_deliveries.id = t.value ->> 0

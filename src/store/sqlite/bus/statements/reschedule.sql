-- Ends attempts that shall be tried again. Their tokens were checked by held.sql.
-- ?1 JSON array of [id, due, charge (0 or 1), error ('' keeps the last one)], ?2 now
-- Locks:   the file, for writing.
-- Index:   penstock_deliveries' rowid.
update penstock_deliveries
set attempts = attempts + (t.value ->> 2), claims = claims + 1, suspect = 0,
    available_at = t.value ->> 1, updated_at = ?2,
    last_error = iif(t.value ->> 3 = '', last_error, t.value ->> 3)
from json_each(?1) t
where penstock_deliveries.id = t.value ->> 0

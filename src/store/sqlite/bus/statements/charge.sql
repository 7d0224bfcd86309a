-- Charges deliveries for the crash of their worker: an attempt, the mark of a suspect, and for some
-- the dead letters.
-- ?1 JSON array of [id, attempts, bury (0 or 1)], ?2 now, ?3 the error to keep
-- Locks:   the file, for writing.
-- Index:   penstock_deliveries' rowid.
update penstock_deliveries
set attempts = t.value ->> 1, claims = claims + 1, suspect = 1, updated_at = ?2, last_error = ?3,
    status = iif(t.value ->> 2, 'dead', 'pending')
from json_each(?1) t
where penstock_deliveries.id = t.value ->> 0

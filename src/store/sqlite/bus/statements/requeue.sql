-- An operator's second chance: dead deliveries become due now with a fresh budget. A keyed one heads
-- its key only after promote.sql. The mark of a suspect stays.
-- ?1 JSON array of ids, ?2 now
-- Locks:   the file, for writing.
-- Index:   penstock_deliveries' rowid.
update penstock_deliveries
set status = 'pending', attempts = 0, claims = claims + 1, head = key is null,
    available_at = ?2, updated_at = ?2
where id in (select value from json_each(?1)) and status = 'dead'

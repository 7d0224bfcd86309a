-- Makes every lease of a worker one of its successor's.
-- ?1 worker
-- ?2 successor
-- Locks:   the file, for writing.
-- Index:   the 256 lanes, whole.
update penstock_lanes set lease_owner = ?2 where lease_owner = ?1

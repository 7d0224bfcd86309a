-- Forgets what was in flight in lanes that were taken over.
-- ?1 JSON array of lanes
-- Locks:   the file, for writing.
-- Index:   penstock_in_flight's key.
delete from penstock_in_flight where lane in (select value from json_each(?1))

-- Takes deliveries out of what is in flight, also those whose row is gone.
-- ?1 JSON array of [id, lane, …]
-- Locks:   the file, for writing.
-- Index:   penstock_in_flight's key.
delete from penstock_in_flight
where (lane, delivery) in (select t.value ->> 1, t.value ->> 0 from json_each(?1) t)

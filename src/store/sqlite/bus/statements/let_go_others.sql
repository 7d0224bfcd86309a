-- Takes out of what is in flight in the lanes of a worker all that it does not run.
-- ?1 worker
-- ?2 JSON array of the ids that it runs
-- Locks:   the file, for writing.
-- Index:   the 256 lanes, whole; penstock_in_flight's key.
delete from penstock_in_flight
where lane in (select lane from penstock_lanes where lease_owner = ?1)
  and delivery not in (select value from json_each(?2))

-- Gives back what a worker has in flight and does not run, without spending an attempt.
-- ?1 worker
-- ?2 JSON array of the ids that it runs
-- Locks:   the file, for writing.
-- Index:   the 256 lanes, whole; penstock_in_flight's key; penstock_deliveries' rowid.
update penstock_deliveries set claims = claims + 1
where id in (select f.delivery
             from penstock_lanes l cross join penstock_in_flight f on f.lane = l.lane
             where l.lease_owner = ?1 and f.delivery not in (select value from json_each(?2)))

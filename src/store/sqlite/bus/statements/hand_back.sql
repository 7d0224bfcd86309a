-- Hands back every lane of a worker that runs nothing.
-- ?1 worker
-- Locks:   the file, for writing.
-- Index:   the 256 lanes, whole; penstock_in_flight's key.
update penstock_lanes set lease_owner = null, lease_expires_at = null
where lease_owner = ?1
  and not exists (select 1 from penstock_in_flight f where f.lane = penstock_lanes.lane)

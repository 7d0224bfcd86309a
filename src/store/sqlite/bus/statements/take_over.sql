-- Takes the lanes of the expired leases that had work in flight.
-- ?1 worker, ?2 now, ?3 new expiry, ?4 JSON array of lanes
-- Locks:   the file, for writing.
-- Index:   penstock_lanes' rowid.
update penstock_lanes set epoch = epoch + 1, lease_owner = ?1, lease_expires_at = ?3
where lane in (select value from json_each(?4)) and lease_expires_at <= ?2

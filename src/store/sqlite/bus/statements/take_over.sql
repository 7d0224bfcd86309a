-- Ends the expired leases that had work in flight. Their lanes are free, under a new epoch.
-- ?1 JSON array of lanes
-- Locks:   the file, for writing.
-- Index:   penstock_lanes' rowid.
update penstock_lanes set epoch = epoch + 1, lease_owner = null, lease_expires_at = null
where lane in (select value from json_each(?1))

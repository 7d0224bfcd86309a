-- Leases lanes to a worker, or renews what it holds: one row per lane for the whole batch. The epoch
-- grows only where the lane changes hands; a lease is never made shorter.
-- ?1 worker, ?2 now, ?3 new expiry, ?4 JSON array of lanes
-- Returns: lane, epoch.
-- Locks:   the file, for writing.
-- Index:   penstock_lanes' rowid.
update penstock_lanes
set epoch = epoch + (lease_owner is not ?1 or lease_expires_at <= ?2),
    lease_expires_at = max(?3, iif(lease_owner is ?1, lease_expires_at, ?3)),
    lease_owner = ?1
where lane in (select value from json_each(?4))
returning lane, epoch

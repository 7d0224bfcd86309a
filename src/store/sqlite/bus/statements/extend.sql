-- Lets leases run on. The tokens were checked by held.sql.
-- ?1 JSON array of lanes, ?2 new expiry
-- Locks:   the file, for writing.
-- Index:   penstock_lanes' rowid.
update penstock_lanes set lease_expires_at = ?2 where lane in (select value from json_each(?1))

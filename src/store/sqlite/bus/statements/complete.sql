-- Completes deliveries: a completed delivery has no row. Their tokens were checked by held.sql.
-- ?1 JSON array of ids
-- Locks:   the file, for writing. The lanes are not written.
-- Index:   penstock_deliveries' rowid.
delete from penstock_deliveries where id in (select value from json_each(?1))

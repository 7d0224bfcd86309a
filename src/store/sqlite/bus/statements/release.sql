-- Gives work back without spending an attempt. The tokens were checked by held.sql.
-- ?1 JSON array of ids
-- Locks:   the file, for writing.
-- Index:   penstock_deliveries' rowid.
update penstock_deliveries set claims = claims + 1
where id in (select value from json_each(?1))

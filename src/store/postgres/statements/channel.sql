-- Purpose:    the channel on which wake() notifies.
-- Parameters: none.
-- Columns:    channel text.
-- Locks:      none.
-- Index:      none: meta has a few rows.
-- Oddity:     the number of a table, as wake() has it: it fits the limit of 63 bytes whatever the
--             schema is called, and no other store has it.
select 'penstock_' || m.tableoid::text as channel from :"schema".:"meta" m limit 1

-- Purpose:    removes what listeners left that died while they waited.
-- Parameters: none.
-- Columns:    none.
-- Locks:      those rows.
-- Index:      none: one row for each idle process.
delete from :"schema".:"workers" where waiting_until < :"schema".:"now"() - interval '1 hour'

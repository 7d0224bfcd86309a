-- Purpose:    what was done to a table, as the statistics of the server have it so far.
-- Parameters: $1 text, the table, qualified and quoted.
-- Columns:    inserted, updated, heap_only, deleted bigint.
-- Locks:      none.
-- Index:      those of the system catalogue.
-- Oddity:     sessions report when they have been idle for a while, or end.
select pg_stat_get_tuples_inserted($1::text::regclass) as inserted,
       pg_stat_get_tuples_updated($1::text::regclass) as updated,
       pg_stat_get_tuples_hot_updated($1::text::regclass) as heap_only,
       pg_stat_get_tuples_deleted($1::text::regclass) as deleted

-- Purpose:    how many entries each index of a table has on its leaves.
-- Parameters: $1 text, the table, qualified and quoted.
-- Columns:    name text, entries bigint.
-- Locks:      none but on the indexes, to read.
-- Index:      those of the system catalogue.
-- Oddity:     page 0 of a btree is its description; an index that never held anything has no other.
select c.relname::text as name,
       coalesce((select sum(s.live_items + s.dead_items)
                 from generate_series(1, pg_relation_size(c.oid)
                                         / current_setting('block_size')::bigint - 1) p(page)
                 cross join lateral bt_page_stats(c.oid::regclass::text, p.page::integer) s
                 where s.type = 'l'), 0)::bigint as entries
from pg_catalog.pg_index i
join pg_catalog.pg_class c on c.oid = i.indexrelid
where i.indrelid = $1::text::regclass
order by c.relname

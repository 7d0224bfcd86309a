-- Purpose:    the tables of version 0.1.0 anywhere in the database, for who looked in the wrong place.
-- Parameters: none.
-- Columns:    schema text, prefix text.
-- Locks:      none.
-- Index:      those of the system catalogue.
-- Oddity:     at most ten, so that a database of many tenants says no more than it must.
select n.nspname::text as schema, pg_catalog.left(c.relname::text, -10) as prefix
from pg_catalog.pg_attribute a
join pg_catalog.pg_class c on c.oid = a.attrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where a.attname = 'lease_token' and not a.attisdropped and c.relkind = 'r'
  and pg_catalog.right(c.relname::text, 10) = 'deliveries'
order by 1, 2
limit 10

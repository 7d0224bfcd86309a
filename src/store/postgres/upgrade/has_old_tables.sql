-- Purpose:    whether the tables are those of version 0.1.0, the only one to lease single deliveries.
-- Parameters: none.
-- Columns:    has_old_tables boolean.
-- Locks:      none.
-- Index:      those of the system catalogue.
-- Oddity:     not to_regclass(), which wants rights on the schema.
select exists (
  select from pg_catalog.pg_attribute a
  join pg_catalog.pg_class c on c.oid = a.attrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = :'schema' and c.relname = :'deliveries'
    and a.attname = 'lease_token' and not a.attisdropped) as has_old_tables

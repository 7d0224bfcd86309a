-- Purpose:    whether setup has ever run in this schema, without failing where it has not.
-- Parameters: none.
-- Columns:    has_schema boolean, has_tables boolean.
-- Locks:      none.
-- Index:      those of the system catalogue.
-- Oddity:     not to_regclass(), which wants rights on the schema.
select exists (select from pg_catalog.pg_namespace n where n.nspname = :'schema') as has_schema,
       exists (select from pg_catalog.pg_class c
               join pg_catalog.pg_namespace n on n.oid = c.relnamespace
               where n.nspname = :'schema' and c.relname = :'meta') as has_tables

-- Purpose:    where the extension pageinspect is, whether it could be made, and whether this role may
--             use it.
-- Parameters: none.
-- Columns:    schema text (null: not there), is_available boolean, is_superuser boolean.
-- Locks:      none.
-- Index:      those of the system catalogue.
select (select n.nspname::text from pg_catalog.pg_extension e
        join pg_catalog.pg_namespace n on n.oid = e.extnamespace
        where e.extname = 'pageinspect') as schema,
       exists (select from pg_catalog.pg_available_extensions a where a.name = 'pageinspect')
         as is_available,
       pg_catalog.current_setting('is_superuser')::boolean as is_superuser

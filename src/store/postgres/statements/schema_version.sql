-- Purpose:    the version of the tables, for the check of each new connection and for setup.
-- Parameters: none.
-- Columns:    value bigint; no row where the tables are not complete.
-- Locks:      none.
-- Index:      primary key of meta.
-- Oddity:     fails where there are no tables; a caller inside a transaction asks has_tables first.
select value from :"schema".:"meta" where name = 'schema_version'

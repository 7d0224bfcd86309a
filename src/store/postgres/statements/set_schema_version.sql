-- Purpose:    records that the migrations up to a version have run; in their transaction.
-- Parameters: 1 version bigint.
-- Columns:    none.
-- Locks:      the row of meta; setup holds its advisory lock.
-- Index:      primary key of meta.
insert into :"schema".:"meta"(name, value) values ('schema_version', $1)
on conflict (name) do update set value = excluded.value

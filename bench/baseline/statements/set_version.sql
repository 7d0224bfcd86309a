-- Marks the tables as there: each new connection looks for it.
--
-- $1 version bigint, of penstock's own tables
-- Locks:   its row.
-- Index:   the primary key.
insert into :"schema".:"meta" (name, value) values ('schema_version', $1)

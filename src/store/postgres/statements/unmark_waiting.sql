-- Purpose:    says that a listener waits no longer: it has enough to do.
-- Parameters: 1 worker text.
-- Columns:    none.
-- Locks:      the worker's own row.
-- Index:      primary key of workers.
delete from :"schema".:"workers" where worker = $1

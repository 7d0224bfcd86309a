-- Registers a process; see functions/queue_register.sql.
--
-- $1 worker bigint, $2 name text
-- Returns: whether the id was new.
-- Locks:   its row.
select :"schema".:"queue_register"($1, $2)

-- Gives up a worker; see functions/queue_mark_dead.sql.
--
-- $1 worker bigint, $2 beat bigint, the one that stood still
-- Returns: whether it is dead now.
-- Locks:   its row.
select :"schema".:"queue_mark_dead"($1, $2)

-- Moves jobs, or changes their priority; see functions/queue_move.sql.
--
-- $1 ids bigint[], $2 queue text or null, $3 priority smallint or null
-- Returns: ids that were moved.
-- Locks:   as the function.
select * from :"schema".:"queue_move"($1, $2, $3)

-- Counts; see functions/queue_counts.sql.
--
-- $1 most bigint, or null for exact counts
-- Returns: queue, priority, shard or null, waiting, running, claimed, completed, scheduled, retrying,
--          dead.
-- Locks:   none.
select * from :"schema".:"queue_counts"($1)

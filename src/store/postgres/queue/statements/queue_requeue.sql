-- Requeues dead jobs; see functions/queue_requeue.sql.
--
-- $1 ids bigint[]
-- Returns: ids that were requeued.
-- Locks:   as the function.
select * from :"schema".:"queue_requeue"($1)

-- Requeues dead deliveries; see functions/requeue.sql.
--
-- $1 ids bigint[]
-- Returns: how many, integer.
-- Locks:   as the function.
select :"schema".:"requeue"($1)

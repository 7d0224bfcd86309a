-- Completes a flush; see functions/queue_complete.sql.
--
-- $1 worker bigint, $2 claims bigint[], $3 members int4multirange[], $4 history boolean
-- Returns: claim, done (int4multirange), busy.
-- Locks:   as the function.
select * from :"schema".:"queue_complete"($1, $2, $3, $4)

-- What a worker runs that has ended otherwise; see functions/queue_lost.sql.
--
-- $1 worker bigint, $2 claims bigint[], $3 members int4multirange[]
-- Returns: claim, lost (int4multirange).
-- Locks:   none.
select * from :"schema".:"queue_lost"($1, $2, $3)

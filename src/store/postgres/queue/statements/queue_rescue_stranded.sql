-- Repairs a fault of ours; see functions/queue_rescue_stranded.sql. A row is an alarm.
--
-- $1 slot integer
-- Returns: ids.
-- Locks:   as the function.
select * from :"schema".:"queue_rescue_stranded"($1)

-- Cancels or buries jobs; see functions/queue_cancel.sql.
--
-- $1 ids bigint[], $2 history boolean, $3 reason text, or null to cancel
-- Returns: id, was running.
-- Locks:   as the function.
select * from :"schema".:"queue_cancel"($1, $2, $3)

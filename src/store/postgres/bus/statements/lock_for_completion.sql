-- Locks lanes in a handler's transaction, before complete; see functions/lock_for_completion.sql.
--
-- $1 lanes integer[]
-- Returns: nothing of interest.
-- Locks:   lanes, in order, for key share.
select :"schema".:"lock_for_completion"($1)

-- Deletes the progress of what is over; see functions/queue_purge_progress.sql.
--
-- $1 batch integer
-- Returns: how many.
-- Locks:   as the function.
select :"schema".:"queue_purge_progress"($1)

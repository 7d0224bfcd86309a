-- Removes dead workers; see functions/queue_forget_workers.sql.
--
-- $1 after bigint (microseconds)
-- Returns: how many.
-- Locks:   the rows it deletes.
select :"schema".:"queue_forget_workers"($1)

-- Keeps progress; see functions/queue_save_progress.sql.
--
-- $1 worker bigint, $2 claim bigint, $3 ordinal integer, $4 progress jsonb
-- Returns: whether the attempt is open.
-- Locks:   as the function.
select :"schema".:"queue_save_progress"($1, $2, $3, $4)

-- Deletes dead jobs; see functions/queue_purge_dead.sql.
--
-- $1 ids bigint[] or null, $2 retention bigint (microseconds), $3 batch integer
-- Returns: how many.
-- Locks:   as the function.
select :"schema".:"queue_purge_dead"($1, $2, $3)

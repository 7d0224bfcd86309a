-- Empties a spent slot; see functions/queue_prune.sql.
--
-- $1 slot integer, $2 patience integer (milliseconds)
-- Returns: pruned, busy, current, empty, active or blocked.
-- Locks:   as the function.
select :"schema".:"queue_prune"($1, $2)

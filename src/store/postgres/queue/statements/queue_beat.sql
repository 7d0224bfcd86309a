-- A worker says that it lives; see functions/queue_beat.sql.
--
-- $1 worker bigint, $2 oldest open bigint
-- Returns: false where it was given up.
-- Locks:   its row.
select :"schema".:"queue_beat"($1, $2)

-- Hands back the lanes of a worker that run nothing; see functions/relinquish.sql.
--
-- $1 worker text
-- Returns: how many lanes, integer.
-- Locks:   as the function.
select :"schema".:"relinquish"($1)

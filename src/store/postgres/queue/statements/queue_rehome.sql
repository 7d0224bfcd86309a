-- Moves the last live rows of a slot; see functions/queue_rehome.sql.
--
-- $1 slot integer, $2 most integer, $3 share double precision, $4 free integer,
-- $5 patience integer (milliseconds)
-- Returns: rehomed, busy, current, spent, live, roomy, blocked or lane.
-- Locks:   as the function.
select :"schema".:"queue_rehome"($1, $2, $3, $4, $5)

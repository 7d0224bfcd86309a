-- Appends due jobs of one lane; see functions/queue_promote.sql.
--
-- $1 queue text, $2 since timestamptz, $3 batch integer, $4 patience integer (milliseconds),
-- $5 lanes to pass by integer[], $6 rotor integer
-- Returns: promoted, blocked lane or null, more, next due at.
-- Locks:   as the function.
select * from :"schema".:"queue_promote"($1, $2, $3, $4, $5, $6)

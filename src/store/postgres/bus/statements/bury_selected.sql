-- Buries what an operator selected; see functions/bury_selected.sql.
--
-- $1 ids bigint[], $2 errors text[]
-- Returns: how many, integer.
-- Locks:   as the function.
select :"schema".:"bury_selected"($1, $2)

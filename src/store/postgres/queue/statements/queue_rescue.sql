-- Gives back what no living worker holds; see functions/queue_rescue.sql.
--
-- $1 batch integer, $2 thorough boolean, $3 history boolean
-- Returns: claims, jobs, buried.
-- Locks:   as the function.
select * from :"schema".:"queue_rescue"($1, $2, $3)

-- Ends attempts otherwise; see functions/queue_finish.sql.
--
-- $1 worker bigint, $2 claims bigint[], $3 ordinals integer[], $4 outcomes smallint[],
-- $5 delays bigint[] (microseconds), $6 errors text[], $7 progress jsonb[] (with nulls),
-- $8 wait boolean, $9 history boolean
-- Returns: place (from 1), outcome.
-- Locks:   as the function.
select * from :"schema".:"queue_finish"($1, $2, $3, $4, $5, $6, $7, $8, $9)

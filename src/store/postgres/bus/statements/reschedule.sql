-- Ends attempts that shall be tried again; see functions/reschedule.sql.
--
-- $1 ids bigint[], $2 lanes integer[], $3 epochs bigint[], $4 claims bigint[],
-- $5 delays bigint[] (microseconds), $6 charges boolean[], $7 errors text[]
-- Returns: place (from 1) of each token that held.
-- Locks:   as the function.
select * from :"schema".:"reschedule"($1, $2, $3, $4, $5, $6, $7)

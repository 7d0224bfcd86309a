-- Completes deliveries; see functions/complete.sql.
--
-- $1 ids bigint[], $2 lanes integer[], $3 epochs bigint[], $4 claims bigint[], $5 history boolean
-- Returns: place (from 1) of each token that held.
-- Locks:   as the function.
select * from :"schema".:"complete"($1, $2, $3, $4, $5)

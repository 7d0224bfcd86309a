-- Gives work back; see functions/release.sql.
--
-- $1 ids bigint[], $2 lanes integer[], $3 epochs bigint[], $4 claims bigint[]
-- Returns: place (from 1) of each token that held.
-- Locks:   as the function.
select * from :"schema".:"release"($1, $2, $3, $4)

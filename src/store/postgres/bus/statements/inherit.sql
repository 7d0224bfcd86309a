-- Makes every lease of a worker one of its successor's; see functions/inherit.sql.
--
-- $1 former text, $2 worker text: lease owners
-- $3 ids bigint[], $4 lanes integer[], $5 epochs bigint[], $6 claims bigint[]: what runs
-- Locks:   as the function.
select :"schema".:"inherit"($1, $2, $3, $4, $5, $6)

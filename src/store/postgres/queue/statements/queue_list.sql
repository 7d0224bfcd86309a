-- A page of jobs; see functions/queue_list.sql.
--
-- $1 state text, $2 queue text or null, $3 kind text or null, $4 ids bigint[] or null, $5 after
-- bigint, $6 most integer
-- Returns: id, queue, priority, shard, kind, key, unique key, attempt, max attempts, suspect, run at,
--          created at, at, payload bytes, last error.
-- Locks:   none.
select * from :"schema".:"queue_list"($1, $2, $3, $4, $5, $6)

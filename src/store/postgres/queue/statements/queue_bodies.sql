-- Reads the jobs of a claim; see functions/queue_bodies.sql.
--
-- $1 worker bigint, $2 base bigint, that of the claim
-- Returns: claim, ordinal, seq, id, kind, key, run at, created at, deadline (microseconds), attempt,
--          max attempts, suspect, unique key, content type, headers, state, payload.
-- Locks:   none.
select * from :"schema".:"queue_bodies"($1, $2)

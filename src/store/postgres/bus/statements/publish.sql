-- Publishes one chunk of events; see functions/publish_batch.sql.
--
-- $1 ids uuid[], $2 types text[], $3 keys text[] (with nulls), $4 content types text[],
-- $5 headers jsonb[], $6 payloads bytea[], $7 lanes integer[]
-- Returns: ordinal (from 1), created, handlers.
-- Locks:   as the function.
select * from :"schema".:"publish_batch"($1, $2, $3, $4, $5, $6, $7)

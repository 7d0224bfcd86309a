-- Enqueues a batch; see functions/queue_enqueue.sql. In the caller's own transaction, if it has one.
--
-- $1 queues text[], $2 kinds text[], $3 priorities smallint[], $4 keys text[] (with nulls),
-- $5 payloads bytea[], $6 content types text[] (with nulls), $7 headers jsonb[] (with nulls),
-- $8 run at timestamptz[] (with nulls), $9 deadlines bigint[] (microseconds, with nulls),
-- $10 max attempts integer[], $11 unique keys text[] (with nulls), $12 unique states smallint[],
-- $13 rotor integer
-- Returns: ordinal (from 1), id, created.
-- Locks:   as the function.
select * from :"schema".:"queue_enqueue"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

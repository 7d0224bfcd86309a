-- Claims a batch; see functions/queue_claim.sql. It must commit before queue_bodies is read.
--
-- $1 worker bigint, $2 queue text, $3 batch integer, $4 bytes bigint, $5 ageing bigint
-- (microseconds), $6 take a suspect boolean, $7 base bigint (null the first time)
-- Returns: claim, lane, priority, shard, members, claimed at, next base, suspects wait,
--          lives.
-- Locks:   as the function.
select * from :"schema".:"queue_claim"($1, $2, $3, $4, $5, $6, $7)

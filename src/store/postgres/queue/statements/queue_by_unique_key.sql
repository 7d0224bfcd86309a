-- The jobs that hold unique keys.
--
-- $1 keys text[]
-- Returns: key, id, whether the job has ended.
-- Locks:   none.
-- Index:   the primary key of queue_unique_keys.
select k.key, k.id, k.ended_at is not null
from :"schema".:"queue_unique_keys" k where k.key = any($1)

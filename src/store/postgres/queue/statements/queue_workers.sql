-- The workers, for whoever watches their beats.
--
-- Returns: worker, name, beat, dead, started at, beat at, oldest open.
-- Locks:   none.
-- Index:   none: one row per process.
select w.worker, w.name, w.beat, w.dead, w.started_at, w.beat_at, w.oldest_open
from :"schema".:"queue_workers" w order by w.started_at, w.worker

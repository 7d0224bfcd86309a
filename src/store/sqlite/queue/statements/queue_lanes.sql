-- The lanes of a queue that have jobs waiting, with their heads.
-- ?1 queue. Returns: priority, shard, run_at, suspect of the head.
-- Index: penstock_jobs_ready, a probe for each lane.
select l.priority, l.shard, h.run_at, h.suspect
from penstock_queue_lanes l
join penstock_jobs h on h.id = (
  select j.id from penstock_jobs j indexed by penstock_jobs_ready
  where j.state = 'ready' and j.queue = l.queue and j.priority = l.priority and j.shard = l.shard
  order by j.position limit 1)
where l.queue = ?1

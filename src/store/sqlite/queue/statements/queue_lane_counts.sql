-- ?1 the most that is counted. Returns: queue, priority, shard, waiting, running, claimed, completed.
select l.queue, l.priority, l.shard,
  (select count(*) from (
     select 1 from penstock_jobs j indexed by penstock_jobs_ready
     where j.state = 'ready' and j.queue = l.queue and j.priority = l.priority
       and j.shard = l.shard limit ?1)),
  coalesce(r.running, 0), l.claimed, l.completed
from penstock_queue_lanes l
left join (select queue, priority, shard, count(*) as running from penstock_jobs
           where state = 'running' group by queue, priority, shard) r
  on r.queue = l.queue and r.priority = l.priority and r.shard = l.shard
order by l.queue, l.priority, l.shard

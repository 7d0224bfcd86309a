-- Every queue that is known.
-- Returns: queue, shards, paused.
select n.queue, coalesce(q.shards, 1), coalesce(q.paused, 0)
from (select queue from penstock_queues union select queue from penstock_queue_lanes
      union select queue from penstock_jobs where state = 'deferred') n
left join penstock_queues q on q.queue = n.queue order by n.queue

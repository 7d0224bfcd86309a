-- Every queue that is known: by its settings, its lanes or its deferred jobs.
--
-- Returns: queue, shards, paused.
-- Locks:   none.
-- Index:   none: one row per queue and lane.
select q.queue, coalesce(m.enqueue_shards, 1), coalesce(m.paused, false)
from (select m.queue from :"schema".:"queue_meta" m
      union select l.queue from :"schema".:"queue_lanes" l
      union select d.queue from :"schema".:"queue_due"() d) q
left join :"schema".:"queue_meta" m on m.queue = q.queue
order by q.queue

-- Queues with deferred jobs, and when the first is due. Returns: queue, run_at, paused.
-- Index: penstock_jobs_deferred.
select d.queue, min(d.run_at), coalesce((select q.paused from penstock_queues q
                                         where q.queue = d.queue), 0)
from penstock_jobs d indexed by penstock_jobs_deferred
where d.state = 'deferred' group by d.queue

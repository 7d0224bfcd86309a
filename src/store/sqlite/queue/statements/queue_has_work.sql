-- Whether a queue has anything that a claim could take, or promote first. ?1 queue, ?2 now
-- Index: the first row of penstock_jobs_ready and of penstock_jobs_deferred.
select 1 where not exists (select 1 from penstock_queues q where q.queue = ?1 and q.paused = 1)
  and (exists (select 1 from penstock_jobs j indexed by penstock_jobs_ready
               where j.state = 'ready' and j.queue = ?1)
       or exists (select 1 from penstock_jobs j indexed by penstock_jobs_deferred
                  where j.state = 'deferred' and j.queue = ?1 and j.run_at <= ?2))

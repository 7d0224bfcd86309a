-- When the first deferred job of a queue is due. ?1 queue. Returns: run_at or null.
-- Index: penstock_jobs_deferred.
select min(run_at) from penstock_jobs indexed by penstock_jobs_deferred
where state = 'deferred' and queue = ?1

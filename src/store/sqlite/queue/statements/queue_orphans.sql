-- Attempts of workers that are dead. ?1 limit. Returns: id.
-- Index: penstock_jobs_running, for each dead worker.
select j.id from penstock_queue_workers w
join penstock_jobs j indexed by penstock_jobs_running
  on j.state = 'running' and j.worker = w.worker
where w.dead = 1 order by j.claim, j.ordinal limit ?1

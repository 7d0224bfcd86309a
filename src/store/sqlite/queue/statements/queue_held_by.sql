-- What a worker runs. ?1 worker. Returns: id, claim, ordinal.
-- Index: penstock_jobs_running.
select id, claim, ordinal from penstock_jobs indexed by penstock_jobs_running
where state = 'running' and worker = ?1 order by claim, ordinal

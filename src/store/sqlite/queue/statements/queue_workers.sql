-- Returns: worker, name, beat, dead, started_at, beat_at.
select worker, name, beat, dead, started_at, beat_at from penstock_queue_workers
order by started_at, worker

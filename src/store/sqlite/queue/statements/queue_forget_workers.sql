-- Dead ones that hold nothing. ?1 whose last beat is older than this
delete from penstock_queue_workers where dead = 1 and beat_at < ?1
  and not exists (select 1 from penstock_jobs j indexed by penstock_jobs_running
                  where j.state = 'running' and j.worker = penstock_queue_workers.worker)

-- ?1 worker
select 1 from penstock_queue_workers where worker = ?1 and dead = 0

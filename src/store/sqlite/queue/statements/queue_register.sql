-- ?1 name, ?2 now. Returns: the worker.
insert into penstock_queue_workers(name, started_at, beat_at) values (?1, ?2, ?2) returning worker

-- ?1 worker, ?2 now. Changes: 0 where it was given up.
update penstock_queue_workers set beat = beat + 1, beat_at = ?2 where worker = ?1 and dead = 0

-- ?1 worker, ?2 beat that stood still, or null: whatever it is
update penstock_queue_workers set dead = 1
where worker = ?1 and dead = 0 and (?2 is null or beat = ?2)

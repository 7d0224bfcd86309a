-- A queue's settings.
-- ?1 queue. Returns: shards, paused; no row: the defaults.
select shards, paused from penstock_queues where queue = ?1

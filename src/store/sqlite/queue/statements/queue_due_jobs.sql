-- Due jobs of a queue, in order. ?1 queue, ?2 now, ?3 limit. Returns: id, priority, shard, key.
-- Index: penstock_jobs_deferred.
select id, priority, shard, key from penstock_jobs indexed by penstock_jobs_deferred
where state = 'deferred' and queue = ?1 and run_at <= ?2 order by run_at, id limit ?3

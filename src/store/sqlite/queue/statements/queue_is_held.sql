-- The little of an attempt that its completion needs. ?1 id, ?2 claim, ?3 ordinal, ?4 worker
-- Returns: queue, priority, shard, unique key, unique states.
select queue, priority, shard, unique_key, unique_states from penstock_jobs
where id = ?1 and state = 'running' and claim = ?2 and ordinal = ?3 and worker = ?4

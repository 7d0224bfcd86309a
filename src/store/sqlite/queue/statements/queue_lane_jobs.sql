-- Waiting jobs of a lane, in order. ?1 queue, ?2 priority, ?3 shard, ?4 limit
-- Returns: id, suspect, bytes of the payload, unique key, unique states.
-- Index: penstock_jobs_ready.
select j.id, j.suspect, length(j.payload), j.unique_key, j.unique_states
from penstock_jobs j indexed by penstock_jobs_ready
where j.state = 'ready' and j.queue = ?1 and j.priority = ?2 and j.shard = ?3
order by j.position limit ?4

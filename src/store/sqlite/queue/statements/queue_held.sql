-- The attempt behind a token. ?1 id, ?2 claim, ?3 ordinal, ?4 worker
-- Returns: the columns that job_rows.cpp names.
select id, state, queue, kind, priority, shard, key, unique_key, unique_states, attempts,
  max_attempts, suspect, run_at, created_at, at, deadline, worker, claim, ordinal, content_type,
  headers, progress, errors, payload
from penstock_jobs where id = ?1 and state = 'running' and claim = ?2 and ordinal = ?3 and worker = ?4

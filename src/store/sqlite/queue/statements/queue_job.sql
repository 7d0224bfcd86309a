-- One job whole. ?1 id
-- Returns: the columns that job_rows.cpp names.
select id, state, queue, kind, priority, shard, key, unique_key, unique_states, attempts,
  max_attempts, suspect, run_at, created_at, at, deadline, worker, claim, ordinal, content_type,
  headers, progress, errors, payload
from penstock_jobs where id = ?1

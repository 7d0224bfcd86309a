-- One job whole; see functions/queue_show.sql.
--
-- $1 id bigint
-- Returns: state, queue, priority, shard, worker, at, then the job: id, run at, created at, deadline
--          (microseconds), attempt, max attempts, unique states, suspect, kind, key, unique key,
--          content type, headers, state, payload.
-- Locks:   none.
select s.job_state, s.queue, s.priority, s.enqueue_shard, s.worker, s.at, (s.body).*
from :"schema".:"queue_show"($1) s

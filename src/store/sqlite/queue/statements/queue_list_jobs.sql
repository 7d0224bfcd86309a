-- ?1 state as people call it, ?2 queue, ?3 kind (or null), ?4 ids as JSON (or null), ?5 after, ?6 limit
-- Returns: the columns that listing.cpp names.
-- Index: by id; what it skips is read.
select j.id, j.queue, j.kind, j.priority, j.shard, j.key, j.unique_key, j.attempts, j.max_attempts,
  j.suspect, j.run_at, j.created_at, j.at, length(j.payload), j.errors
from penstock_jobs j
where j.id > ?5
  and case j.state when 'deferred' then iif(j.attempts = 0, 'scheduled', 'retrying')
                   else j.state end = ?1
  and (?2 is null or j.queue = ?2) and (?3 is null or j.kind = ?3)
  and (?4 is null or j.id in (select value from json_each(?4)))
order by j.id limit ?6

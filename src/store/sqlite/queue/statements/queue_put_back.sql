-- A job that is to run again. ?1 id, ?2 shard to return to or null, ?3 run at, ?4 attempts, ?5 suspect,
-- ?6 errors, ?7 now
update penstock_jobs
set state = 'deferred', shard = ?2, run_at = ?3, attempts = ?4, suspect = ?5, errors = ?6, at = ?7,
    position = null, worker = null, claim = null, ordinal = null
where id = ?1

-- A job that ended and stays: dead, or history, whose payload is not kept.
-- ?1 id, ?2 state, ?3 now, ?4 attempts, ?5 suspect, ?6 errors
update penstock_jobs
set state = ?2, at = ?3, attempts = ?4, suspect = ?5, errors = ?6, shard = null, position = null, worker = null,
    claim = null, ordinal = null, payload = iif(?2 = 'dead', payload, x'')
where id = ?1

-- ?1 id, ?2 worker, ?3 claim, ?4 ordinal, ?5 now
update penstock_jobs
set state = 'running', position = null, worker = ?2, claim = ?3, ordinal = ?4, at = ?5
where id = ?1

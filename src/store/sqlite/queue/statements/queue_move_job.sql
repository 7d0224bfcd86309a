-- A job that waits, somewhere else. ?1 id, ?2 queue, ?3 priority, ?4 shard to go to or null, ?5 now
update penstock_jobs
set state = 'deferred', queue = ?2, priority = ?3, shard = ?4, at = ?5, position = null
where id = ?1

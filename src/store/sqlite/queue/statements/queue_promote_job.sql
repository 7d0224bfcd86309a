-- ?1 id, ?2 shard, ?3 position, ?4 now
update penstock_jobs set state = 'ready', shard = ?2, position = ?3, at = ?4 where id = ?1

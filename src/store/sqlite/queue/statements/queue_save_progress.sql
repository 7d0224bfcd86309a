-- ?1 id, ?2 claim, ?3 ordinal, ?4 worker, ?5 progress. Changes: 0 where the attempt is over.
update penstock_jobs set progress = ?5
where id = ?1 and state = 'running' and claim = ?2 and ordinal = ?3 and worker = ?4

-- ?1 state, ?2 older than, ?3 limit
delete from penstock_jobs where id in (
  select id from penstock_jobs indexed by penstock_jobs_ended
  where state in ('dead', 'completed', 'cancelled') and state = ?1 and at < ?2
  order by at, id limit ?3)

-- ?1 queue, ?2 kind (or null), ?3 ids as JSON (or null), ?4 after, ?5 limit. Returns: id.
select j.id from penstock_jobs j
where j.state = 'dead' and j.id > ?4 and (?1 is null or j.queue = ?1)
  and (?2 is null or j.kind = ?2) and (?3 is null or j.id in (select value from json_each(?3)))
order by j.id limit ?5

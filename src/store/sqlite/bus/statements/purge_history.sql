-- Deletes completed deliveries that outlived their retention.
-- ?1 cutoff, ?2 limit
-- Locks:   the file, for writing.
-- Index:   penstock_completed_by_age.
delete from penstock_completed where id in (
  select id from penstock_completed where completed_at < ?1 order by completed_at limit ?2)

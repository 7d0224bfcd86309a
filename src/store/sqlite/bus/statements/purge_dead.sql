-- Deletes dead deliveries that outlived their retention.
-- ?1 cutoff, ?2 limit
-- Locks:   the file, for writing.
-- Index:   penstock_deliveries_dead.
delete from penstock_deliveries where id in (
  select id from penstock_deliveries where status = 'dead' and updated_at < ?1
  order by updated_at, id limit ?2)

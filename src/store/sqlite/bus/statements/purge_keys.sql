-- Deletes ordering keys that were not used for long and have no delivery left.
-- ?1 cutoff, ?2 limit
-- Locks:   the file, for writing.
-- Index:   penstock_keys_by_age, penstock_deliveries_by_key.
delete from penstock_keys where key in (
  select k.key from penstock_keys k
  where k.used_at < ?1 and not exists (select 1 from penstock_deliveries d where d.key = k.key)
  order by k.used_at limit ?2)

-- Deletes events that outlived their retention and have no delivery left.
-- ?1 cutoff, ?2 limit
-- Locks:   the file, for writing.
-- Index:   penstock_events_by_age, penstock_deliveries_by_event.
delete from penstock_events where number in (
  select e.number from penstock_events e
  where e.created_at < ?1
    and not exists (select 1 from penstock_deliveries d where d.event = e.number)
  order by e.created_at limit ?2)

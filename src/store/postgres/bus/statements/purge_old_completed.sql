-- Deletes completed deliveries of version 0.1.0 that outlived their retention. Today's are deleted
-- when they complete.
--
-- $1 retention bigint (microseconds), $2 limit bigint
-- Locks:   the rows it deletes.
-- Index:   events_by_age, deliveries_by_event: none of deliveries finds them. An event is older
--          than what was completed of it.
-- Odd:     the row of meta, which the upgrade makes, spares everyone else the look.
delete from :"schema".:"deliveries" d where d.id in (
  select o.id from :"schema".:"events" e
  join :"schema".:"deliveries" o on o.event_id = e.id
  where exists (select from :"schema".:"meta" m where m.name = 'upgraded_completed')
    and e.created_at < :"schema".:"now"() - $1 * interval '1 microsecond'
    and o.updated_at < :"schema".:"now"() - $1 * interval '1 microsecond'
    and o.status = 'completed'
  order by e.created_at limit $2 for update of o skip locked)

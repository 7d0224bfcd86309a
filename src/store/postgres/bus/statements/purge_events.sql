-- Deletes events that outlived their retention and have no delivery left. One that is being
-- published again is locked, and passed by.
--
-- $1 retention bigint (microseconds), $2 limit bigint
-- Locks:   the rows it deletes.
-- Index:   events_by_age, deliveries_by_event.
delete from :"schema".:"events" e where e.id in (
  select o.id from :"schema".:"events" o
  where o.created_at < :"schema".:"now"() - $1 * interval '1 microsecond'
    and not exists (select from :"schema".:"deliveries" d where d.event_id = o.id)
  order by o.created_at limit $2 for update skip locked)

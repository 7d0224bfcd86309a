-- Events that outlived their retention and seem to have no delivery left, locked until the end of
-- the transaction. One that is being published again is locked already, and passed by.
--
-- $1 retention bigint (microseconds), $2 limit bigint
-- Columns: ids uuid[].
-- Locks:   the rows it names, for update.
-- Index:   events_by_age, deliveries_by_event.
-- Odd:     a publish that commits between the snapshot and the lock is not seen here; purge_events
--          looks again, behind the locks.
select coalesce(array_agg(e.id), '{}') as ids
from (select o.id from :"schema".:"events" o
      where o.created_at < :"schema".:"now"() - $1 * interval '1 microsecond'
        and not exists (select from :"schema".:"deliveries" d where d.event_id = o.id)
      order by o.created_at limit $2 for update skip locked) e

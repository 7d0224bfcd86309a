-- Ordering keys that were not used for long and seem to have no delivery left, pending or dead, locked
-- until the end of the transaction. One that a publisher counts on is locked already, and passed by.
--
-- $1 retention bigint (microseconds), $2 limit bigint
-- Columns: keys text[].
-- Locks:   the rows it names, for update.
-- Index:   none on the age, which would be written at each publish; deliveries_by_key where the
--          planner can use it.
-- Odd:     a publish that commits between the snapshot and the lock is not seen here; purge_keys
--          looks again, behind the locks.
select coalesce(array_agg(k.key), '{}') as keys
from (select o.key from :"schema".:"keys" o
      where o.used_at < :"schema".:"now"() - $1 * interval '1 microsecond'
        and not exists (select from :"schema".:"deliveries" d where d.key = o.key)
      limit $2 for update skip locked) k

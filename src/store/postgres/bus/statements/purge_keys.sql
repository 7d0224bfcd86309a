-- Deletes ordering keys that were not used for long and have no delivery left, pending or dead. One
-- that a publisher counts on is locked, and passed by.
--
-- $1 retention bigint (microseconds), $2 limit bigint
-- Locks:   the rows it deletes.
-- Index:   none on the age, which would be written at each publish; deliveries_by_key where the
--          planner can use it.
delete from :"schema".:"keys" k where k.key in (
  select o.key from :"schema".:"keys" o
  where o.used_at < :"schema".:"now"() - $1 * interval '1 microsecond'
    and not exists (select from :"schema".:"deliveries" d where d.key = o.key)
  limit $2 for update skip locked)

-- Deletes completed deliveries that outlived their retention.
--
-- $1 retention bigint (microseconds), $2 limit bigint
-- Locks:   the rows it deletes.
-- Index:   completed_by_age.
delete from :"schema".:"completed" c where c.id in (
  select o.id from :"schema".:"completed" o
  where o.completed_at < :"schema".:"now"() - $1 * interval '1 microsecond'
  order by o.completed_at limit $2 for update skip locked)

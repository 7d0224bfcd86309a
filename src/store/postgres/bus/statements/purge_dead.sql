-- Deletes dead deliveries that outlived their retention.
--
-- $1 retention bigint (microseconds), $2 limit bigint
-- Locks:   the rows it deletes; it passes by those that an operator is requeueing.
-- Index:   deliveries_dead.
delete from :"schema".:"deliveries" d where d.id in (
  select o.id from :"schema".:"deliveries" o
  where o.status = 'dead' and o.updated_at < :"schema".:"now"() - $1 * interval '1 microsecond'
  order by o.updated_at, o.id limit $2 for update skip locked)

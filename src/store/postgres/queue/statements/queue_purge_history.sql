-- Deletes history that outlived its retention.
--
-- $1 retention bigint (microseconds), $2 limit bigint
-- Locks:   the rows it deletes.
-- Index:   queue_history_by_age.
delete from :"schema".:"queue_history" h where h.id in (
  select o.id from :"schema".:"queue_history" o
  where o.ended_at < :"schema".:"now"() - $1 * interval '1 microsecond'
  order by o.ended_at, o.id limit $2)

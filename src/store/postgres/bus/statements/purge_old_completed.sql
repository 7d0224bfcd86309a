-- Deletes completed deliveries of version 0.1.0 that outlived their retention. Today's are deleted
-- when they complete.
--
-- $1 retention bigint (microseconds), $2 limit bigint
-- Locks:   the rows it deletes, and the row of meta that it moves.
-- Index:   primary keys. No index of deliveries finds completed rows, so two rows of meta, which the
--          upgrade makes, say between which ids there may be some: the next purge begins at the
--          first that was left, and who never had version 0.1.0 looks at nothing.
with bounds as materialized (
  select min(m.value) filter (where m.name = 'old_completed_from') as first,
         min(m.value) filter (where m.name = 'old_completed_to') as last
  from :"schema".:"meta" m where m.name in ('old_completed_from', 'old_completed_to')
), moved as (
  update :"schema".:"meta" m set value = n.first
  from (select coalesce((select o.id from :"schema".:"deliveries" o
                         where o.id between b.first and b.last and o.status = 'completed'
                         order by o.id limit 1), b.last + 1) as first
        from bounds b where b.first <= b.last) n
  where m.name = 'old_completed_from' and m.value < n.first
)
delete from :"schema".:"deliveries" d where d.id in (
  select o.id from :"schema".:"deliveries" o
  where o.id between (select b.first from bounds b) and (select b.last from bounds b)
    and o.status = 'completed'
    and o.updated_at < :"schema".:"now"() - $1 * interval '1 microsecond'
  order by o.id limit $2 for update skip locked)

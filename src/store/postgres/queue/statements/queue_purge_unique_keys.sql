-- Deletes unique keys whose jobs ended longer ago than the retention; a dead job keeps its key.
--
-- $1 retention bigint (microseconds), $2 limit bigint
-- Locks:   the rows it deletes, in the order of keys, as others take them.
-- Index:   queue_unique_keys_ended.
delete from :"schema".:"queue_unique_keys" k where k.key in (
  select o.key from :"schema".:"queue_unique_keys" o
  where o.ended_at < :"schema".:"now"() - $1 * interval '1 microsecond'
    and not exists (select from :"schema".:"queue_dead" d where d.id = o.id)
  order by o.key collate "C" limit $2 for update skip locked)

-- Dead jobs of a selection.
--
-- $1 ids bigint[] or null, $2 queue text or null, $3 kind text or null, $4 after bigint, $5 limit bigint
-- Returns: ids, ascending.
-- Locks:   none.
-- Index:   the primary key of queue_dead, walked from $4 on.
select d.id from :"schema".:"queue_dead" d
where d.id > $4 and ($1::bigint[] is null or d.id = any($1))
  and ($2::text is null or d.queue = $2) and ($3::text is null or d.kind = $3)
order by d.id limit $5

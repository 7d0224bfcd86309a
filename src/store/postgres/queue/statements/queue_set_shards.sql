-- Sets the width of a queue. Jobs on shards beyond it are claimed as before.
--
-- $1 queue text, $2 shards smallint
-- Locks:   its row.
-- Index:   the primary key of queue_meta.
insert into :"schema".:"queue_meta" as m (queue, enqueue_shards) values ($1, $2)
on conflict (queue) do update set enqueue_shards = excluded.enqueue_shards

-- ?1 queue, ?2 shards
insert into penstock_queues(queue, shards) values (?1, ?2)
on conflict(queue) do update set shards = excluded.shards

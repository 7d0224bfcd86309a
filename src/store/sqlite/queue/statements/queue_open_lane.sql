-- ?1 queue, ?2 priority, ?3 shard
insert into penstock_queue_lanes(queue, priority, shard) values (?1, ?2, ?3) on conflict do nothing

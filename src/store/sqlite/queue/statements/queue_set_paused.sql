-- ?1 queue, ?2 paused
insert into penstock_queues(queue, paused) values (?1, ?2)
on conflict(queue) do update set paused = excluded.paused

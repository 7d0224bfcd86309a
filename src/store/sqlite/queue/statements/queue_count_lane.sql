-- ?1 queue, ?2 priority, ?3 shard, ?4 claimed, ?5 completed: more of each
update penstock_queue_lanes set claimed = claimed + ?4, completed = completed + ?5
where queue = ?1 and priority = ?2 and shard = ?3

-- ?1 state, ?2 queue, ?3 kind, ?4 priority, ?5 shard, ?6 position, ?7 key, ?8 unique key, ?9 unique
-- states, ?10 max attempts, ?11 run at, ?12 created at, ?13 deadline, ?14 content type, ?15 headers,
-- ?16 payload
insert into penstock_jobs(state, queue, kind, priority, shard, position, key, unique_key,
  unique_states, max_attempts, run_at, created_at, at, deadline, content_type, headers, payload)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12, ?13, ?14, ?15, ?16)

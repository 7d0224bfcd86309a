-- Jobs of one state, for people.
--
-- state    'ready', 'running', 'scheduled', 'retrying', 'dead', 'completed' or 'cancelled' (the last
--          two where history is kept).
-- of_queue, of_kind   Null: all.
-- ids      Null: all.
-- after    The last id of the page before; 0: from the first.
-- most     Rows of a page.
-- Returns: jobs by id, without payloads and progress; at: when the state began, or ends for deferred.
-- Locks:   none.
-- Index:   the primary keys; by state and id, what it skips is read.
create or replace function :"schema".:"queue_list"(
  state text, of_queue text, of_kind text, ids bigint[], after bigint, most integer)
returns table(id bigint, queue text, priority smallint, enqueue_shard smallint, kind text, key text,
              unique_key text, attempt integer, max_attempts integer, suspect boolean,
              run_at timestamptz, created_at timestamptz, at timestamptz, payload_bytes integer,
              last_error text)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
as $body$
#variable_conflict use_column
begin
  return query
    select j.id, j.queue, j.priority, j.enqueue_shard, j.kind, j.key, j.unique_key, j.attempt,
           j.max_attempts, j.suspect, j.run_at, coalesce(j.created_at, j.run_at), j.at, j.bytes,
           j.state -> 'errors' -> -1 ->> 'error'
    from (
      select r.id, l.queue, l.priority, l.enqueue_shard, r.kind, r.key, r.unique_key, r.attempt,
             r.max_attempts, r.suspect, r.run_at, r.created_at, r.run_at as at,
             octet_length(r.payload) as bytes, r.state
      from :"schema".:"queue_lanes" l
      cross join lateral (select :"schema".:"queue_cursor"(l.lane) as cursor offset 0) k
      join :"schema".:"queue_ready" r on r.lane = l.lane and r.seq >= k.cursor
      where :"queue_list".state = 'ready'
        and not exists (select from :"schema".:"queue_tombstones" t
                        where t.lane = r.lane and t.seq = r.seq and t.slot = r.slot)
      union all
      select m.id, l.queue, l.priority, l.enqueue_shard, m.kind, m.key, m.unique_key, m.attempt,
             m.max_attempts, m.suspect, m.run_at, m.created_at, m.claimed_at,
             octet_length(m.payload), m.state
      from :"schema".:"queue_members" m
      join :"schema".:"queue_lanes" l on l.lane = m.lane
      where :"queue_list".state = 'running'
        and not coalesce((select range_agg(f.members) from :"schema".:"queue_finished" f
                          where f.claim = m.claim), '{}') @> m.ordinal
      union all
      select m.id, l.queue, l.priority, l.enqueue_shard, m.kind, m.key, m.unique_key, m.attempt,
             m.max_attempts, m.suspect, m.run_at, m.created_at, m.claimed_at,
             octet_length(m.payload), m.state
      from :"schema".:"queue_running" m
      join :"schema".:"queue_lanes" l on l.lane = m.lane
      where :"queue_list".state = 'running'
      union all
      select d.id, d.queue, d.priority, null, d.kind, d.key, d.unique_key, d.attempt, d.max_attempts,
             d.suspect, d.run_at, d.created_at, d.run_at, octet_length(d.payload), d.state
      from :"schema".:"queue_deferred" d
      where :"queue_list".state = case when d.attempt > 0 then 'retrying' else 'scheduled' end
      union all
      select d.id, d.queue, d.priority, null, d.kind, d.key, d.unique_key, d.attempt, d.max_attempts,
             d.suspect, d.run_at, d.created_at, d.died_at, octet_length(d.payload), d.state
      from :"schema".:"queue_dead" d where :"queue_list".state = 'dead'
      union all
      select h.id, h.queue, h.priority, null, h.kind, h.key, h.unique_key, h.attempt, h.max_attempts,
             h.suspect, h.run_at, h.created_at, h.ended_at, null, h.state
      from :"schema".:"queue_history" h
      where :"queue_list".state = case h.outcome when 0 then 'completed' else 'cancelled' end) j
    where j.id > :"queue_list".after
      and (:"queue_list".of_queue is null or j.queue = :"queue_list".of_queue)
      and (:"queue_list".of_kind is null or j.kind = :"queue_list".of_kind)
      and (:"queue_list".ids is null or j.id = any(:"queue_list".ids))
    order by j.id limit most;
end
$body$;

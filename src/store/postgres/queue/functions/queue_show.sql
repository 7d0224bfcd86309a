-- One job whole, wherever it stands, its state derived from where.
--
-- id        The job.
-- Returns: no row where it is nowhere: completed or cancelled without history, or never there.
-- Locks:   none.
-- Index:   as queue_find().
create or replace function :"schema".:"queue_show"(id bigint)
returns table(job_state text, queue text, priority smallint, enqueue_shard smallint, worker bigint,
              at timestamptz, body :"schema".:"queue_body")
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $body$
#variable_conflict use_column
declare
  v_found record;
begin
  select f.* into v_found from :"schema".:"queue_find"(array[:"queue_show".id]) f limit 1;
  if found and v_found.seq is not null then
    return query
      select v_found.place, l.queue, l.priority, l.enqueue_shard, v_found.worker,
             coalesce(c.claimed_at, r.run_at),
             row(r.id, r.run_at, r.created_at, r.deadline, r.attempt, r.max_attempts,
                 r.unique_states, r.suspect, r.kind, r.key, r.unique_key, r.content_type, r.headers,
                 :"schema".:"queue_state_after"(r.state, 0, p.progress, null), r.payload)::
               :"schema".:"queue_body"
      from :"schema".:"queue_ready" r
      join :"schema".:"queue_lanes" l on l.lane = r.lane
      left join :"schema".:"queue_claims" c on c.worker = v_found.worker and c.claim = v_found.claim
      left join :"schema".:"queue_progress" p
        on p.claim = v_found.claim and p.ordinal = v_found.ordinal
      where r.lane = v_found.lane and r.seq = v_found.seq and r.slot = v_found.slot;
    return;
  end if;
  return query
    select 'running', l.queue, l.priority, l.enqueue_shard, r.worker, r.claimed_at,
           row(r.id, r.run_at, r.created_at, r.deadline, r.attempt, r.max_attempts, r.unique_states,
               r.suspect, r.kind, r.key, r.unique_key, r.content_type, r.headers,
               :"schema".:"queue_state_after"(
                 r.state, 0, (select p.progress from :"schema".:"queue_progress" p
                              where p.claim = r.claim and p.ordinal = r.ordinal), null), r.payload)::
             :"schema".:"queue_body"
    from :"schema".:"queue_running" r join :"schema".:"queue_lanes" l on l.lane = r.lane
    where r.id = :"queue_show".id
    union all
    select case when d.attempt > 0 then 'retrying' else 'scheduled' end, d.queue, d.priority, null,
           null, d.run_at,
           row(d.id, d.run_at, d.created_at, d.deadline, d.attempt, d.max_attempts, d.unique_states,
               d.suspect, d.kind, d.key, d.unique_key, d.content_type, d.headers, d.state, d.payload)::
             :"schema".:"queue_body"
    from :"schema".:"queue_deferred" d where d.id = :"queue_show".id
    union all
    select 'dead', d.queue, d.priority, null, null, d.died_at,
           row(d.id, d.run_at, d.created_at, d.deadline, d.attempt, d.max_attempts, d.unique_states,
               d.suspect, d.kind, d.key, d.unique_key, d.content_type, d.headers, d.state, d.payload)::
             :"schema".:"queue_body"
    from :"schema".:"queue_dead" d where d.id = :"queue_show".id
    union all
    select case h.outcome when 0 then 'completed' else 'cancelled' end, h.queue, h.priority, null,
           null, h.ended_at,
           row(h.id, h.run_at, h.created_at, h.deadline, h.attempt, h.max_attempts, h.unique_states,
               h.suspect, h.kind, h.key, h.unique_key, h.content_type, h.headers, h.state, h.payload)::
             :"schema".:"queue_body"
    from :"schema".:"queue_history" h where h.id = :"queue_show".id;
end
$body$;

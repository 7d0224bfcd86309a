-- Cancels jobs, or makes dead letters of them, wherever they stand.
--
-- ids      Jobs; at most 100 at a time, because their lanes are not claimed from meanwhile.
-- history  As in queue_complete().
-- reason   Null: they are cancelled. Else they are buried with it as their last error.
-- Returns: of each job that was ended: whether it was running, where its handler goes on until
--          its process notices, and its completion is lost. Others had ended, or never were.
-- Locks:   rows of queue_lanes, sorted; rows of queue_claims; of queue_deferred; then unique keys.
-- Index:   as queue_find().
-- Odd:     a job may move between the look and the lock: three rounds.
create or replace function :"schema".:"queue_cancel"(ids bigint[], history boolean,
                                                      reason text default null)
returns table(id bigint, was_running boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $body$
#variable_conflict use_column
declare
  v_left bigint[] := ids;
  v_done bigint[];
  v_found record;
  v_outcome constant smallint := case when reason is null then 4 else 3 end;
  v_one :"schema".:"queue_ended";
  v_body :"schema".:"queue_body";
  v_held :"schema".:"queue_held"[];
  v_ended :"schema".:"queue_ended"[];
begin
  perform :"schema".:"queue_require_autocommit"();
  for v_round in 1 .. 3 loop
    select array_agg(f.lane) as lanes, array_agg(f.seq) as seqs into v_found
    from :"schema".:"queue_find"(v_left) f where f.place = 'ready';
    v_ended := '{}';
    v_done := '{}';
    if v_found.lanes is not null then
      v_held := :"schema".:"queue_take_out"(v_found.lanes, v_found.seqs);
      select array_agg((h.body).id), array_agg(row(null, null, l.queue, l.priority, v_outcome, h.body)::
                                                :"schema".:"queue_ended")
      into v_done, v_ended
      from unnest(v_held) h join :"schema".:"queue_lanes" l on l.lane = h.lane;
      return query select u.id, false from unnest(v_done) u(id);
      v_left := array(select u.id from unnest(v_left) u(id) where u.id <> all(coalesce(v_done, '{}')));
    end if;

    for v_found in
      select f.worker, array_agg(f.claim) as claims, array_agg(f.ordinal) as ordinals,
             array_agg(f.id) as ids, count(*)::integer as n
      from :"schema".:"queue_find"(v_left) f where f.place = 'running' group by f.worker
      order by min(f.claim)
    loop
      v_done := array(
        select v_found.ids[e.place]
        from :"schema".:"queue_finish"(
          v_found.worker, v_found.claims, v_found.ordinals,
          array_fill(v_outcome, array[v_found.n]), null,
          array_fill(reason, array[v_found.n]), null, true, history) e);
      return query select u.id, true from unnest(v_done) u(id);
      v_left := array(select u.id from unnest(v_left) u(id) where u.id <> all(v_done));
    end loop;

    with gone as (
      delete from :"schema".:"queue_deferred" d where d.id in (
        select o.id from :"schema".:"queue_deferred" o
        where o.id = any(v_left) order by o.id for update)
      returning d.*
    )
    select array_agg(g.id), coalesce(v_ended, '{}') || coalesce(
             array_agg(row(null, null, g.queue, g.priority, v_outcome,
                           row(g.id, g.run_at, g.created_at, g.deadline, g.attempt, g.max_attempts,
                               g.unique_states, g.suspect, g.kind, g.key, g.unique_key,
                               g.content_type, g.headers, g.state, g.payload)::
                             :"schema".:"queue_body")::
                           :"schema".:"queue_ended"), '{}')
    into v_done, v_ended
    from gone g;
    return query select u.id, false from unnest(v_done) u(id);
    v_left := array(select u.id from unnest(v_left) u(id) where u.id <> all(coalesce(v_done, '{}')));
    if reason is not null then
      foreach v_one in array v_ended loop
        v_body := v_one.body;
        v_body.state := :"schema".:"queue_state_after"(v_body.state, v_body.attempt, null, reason);
        v_body.created_at := coalesce(v_body.created_at, v_body.run_at);
        insert into :"schema".:"queue_dead"
        select :"schema".:"now"(), v_one.priority, v_body.*, v_one.queue;
      end loop;
    end if;
    if v_ended <> '{}' then perform :"schema".:"queue_settle"(v_ended, history); end if;
    exit when not exists (select from :"schema".:"queue_find"(v_left) f where f.place <> 'dead');
  end loop;
end
$body$;

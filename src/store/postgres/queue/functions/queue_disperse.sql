-- Where jobs go whose attempts ended: queue_deferred, queue_dead, the history, or nowhere.
--
-- held      The attempts, which this transaction has ended.
-- outcomes, delays, errors, progress, history   As queue_finish() has them, by the place in `held`.
-- Returns: places, and the outcome that came of it.
-- Locks:   unique keys, by their bytes.
-- Index:   the primary keys of queue_lanes, queue_progress and queue_unique_keys.
-- Odd:     only a suspect is claimed alone, so a suspect that is rescued did run alone.
create or replace function :"schema".:"queue_disperse"(
  held :"schema".:"queue_held"[], outcomes smallint[], delays bigint[], errors text[],
  progress jsonb[], history boolean)
returns table(place integer, outcome smallint)
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
  v_now constant timestamptz := :"schema".:"now"();
  v_held :"schema".:"queue_held";
  v_body :"schema".:"queue_body";
  v_lane :"schema".:"queue_lanes";
  v_ended :"schema".:"queue_ended"[] := '{}';
  v_due timestamptz;
begin
  -- By key: several calls that take and give up keys must not wait for each other in a ring.
  for v_held in
    select h.place, h.claim, h.ordinal, h.lane, h.body
    from unnest(held) h order by (h.body).unique_key collate "C", h.place
  loop
    v_body := v_held.body;
    outcome := outcomes[v_held.place];
    select l.* into v_lane from :"schema".:"queue_lanes" l where l.lane = v_held.lane;
    v_body.state := :"schema".:"queue_state_after"(
      v_body.state, v_body.attempt + 1,
      coalesce(progress[v_held.place],
               (select p.progress from :"schema".:"queue_progress" p
                where p.claim = v_held.claim and p.ordinal = v_held.ordinal)),
      errors[v_held.place]);
    v_body.created_at := coalesce(v_body.created_at, v_body.run_at);
    if outcome in (1, 3, 5) then
      v_body.attempt := v_body.attempt + 1;  --@mutant skip_rescue_charge
    end if;
    if outcome = 5 and v_body.suspect and v_body.attempt >= v_body.max_attempts then
      outcome := 3;
    end if;

    if outcome = 3 then
      v_body.suspect := outcomes[v_held.place] = 5;
      insert into :"schema".:"queue_dead"
      select v_now, v_lane.priority, v_body.*, v_lane.queue;
    elsif outcome in (1, 2, 5, 6) then
      if outcome = 5 then
        v_body.suspect := true;
      elsif outcome <> 6 then
        v_body.suspect := false;
      end if;
      v_body.run_at := case when outcome = 5 then v_now
                            else :"schema".:"due_after"(delays[v_held.place]) end;
      if v_body.unique_key is not null and v_body.unique_states & 4 = 0 then
        -- Where another took the key meanwhile, this one goes on without.
        insert into :"schema".:"queue_unique_keys"(key, id, states)
        values (v_body.unique_key, v_body.id, v_body.unique_states) on conflict do nothing;
      end if;
      insert into :"schema".:"queue_deferred"
      select case when outcome in (5, 6) then v_held.lane end, v_lane.priority, v_body.*,
             v_lane.queue;
    end if;
    if outcome in (0, 3, 4) then
      v_ended := v_ended || row(v_held.claim, v_held.ordinal, v_lane.queue, v_lane.priority, outcome,
                                v_body)::
                              :"schema".:"queue_ended";
    end if;
    place := v_held.place;
    return next;
  end loop;
  if v_ended <> '{}' then perform :"schema".:"queue_settle"(v_ended, history); end if;
end
$body$;

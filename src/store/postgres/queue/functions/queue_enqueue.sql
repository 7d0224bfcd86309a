-- Stores jobs, any number of them in a handful of statements, in the transaction of the caller and
-- under any isolation level. Arguments are not checked here: see queue_check_job().
--
-- One element per job in each array:
-- queues, kinds, priorities, payloads, max_attempts
-- keys            Ordering keys; null: none.
-- content_types   Null: application/json.
-- headers         Null: none.
-- run_ats         Null: now. One that is past stays, and the job is ready at once.
-- deadlines       Microseconds an attempt may run; null: as the worker has it.
-- unique_keys     Null: none.
-- unique_states   As queue_states() has them; not read where there is no unique key.
-- rotor           Where the choice of shards for jobs without key begins; below 0: see queue_route().
-- Returns: ordinal (from 1, in order), id, created (false: another job holds the unique key, and
--          the id is its).
-- Locks:   unique keys by their bytes; then the advisory locks of the lanes, sorted, to the end of
--          the transaction. A lone keyless batch passes by a lane that is locked.
-- Index:   the primary key of queue_meta, the unique key of queue_lanes.
-- Odd:     the width is read here and nothing is cached, so that no producer has an old one.
create or replace function :"schema".:"queue_enqueue"(
  queues text[], kinds text[], priorities smallint[], keys text[], payloads bytea[],
  content_types text[], headers jsonb[], run_ats timestamptz[], deadlines bigint[],
  max_attempts integer[], unique_keys text[], unique_states smallint[], rotor integer)
returns table(ordinal integer, id bigint, created boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_nestloop = off
set enable_mergejoin = off
as $body$
#variable_conflict use_column
declare
  v_now constant timestamptz := :"schema".:"now"();
  v_position constant regclass := format('%I.%I', :'schema', :'queue_position')::regclass;
  v_count constant integer := coalesce(cardinality(queues), 0);
  v_ids bigint[] := array_fill(null::bigint, array[v_count]);
  v_created boolean[] := array_fill(true, array[v_count]);
  v_lanes integer[] := array_fill(null::integer, array[v_count]);     -- of those that are ready
  v_positions bigint[] := array_fill(null::bigint, array[v_count]);
  v_ready integer[];       -- ordinals
  v_later integer[];
  v_routed integer[];      -- beside v_ready
  v_drawn bigint[];
  v_slot smallint;
begin
  if array_remove(unique_keys, null) = '{}' and array_remove(run_ats, null) = '{}' then
    -- Most batches: all are new, and ready.
    v_lanes := :"schema".:"queue_route"(queues, priorities, keys, rotor);
    select a.slot, a.positions into v_slot, v_positions from :"schema".:"queue_append"(v_count) a;
    v_ids := v_positions;
  else
    for ordinal, id, created in
      select t.place, t.id, t.created
      from :"schema".:"queue_take_keys"(unique_keys, unique_states) t
    loop
      v_ids[ordinal] := id;
      v_created[ordinal] := created;
    end loop;
    select array_agg(u.place::integer order by u.place) filter (where u.at > v_now),
           array_agg(u.place::integer order by u.place) filter (where (u.at > v_now) is not true)
    into v_later, v_ready
    from unnest(run_ats, v_created) with ordinality u(at, created, place)
    where u.created and u.place <= v_count;

    if v_later is not null then
      foreach ordinal in array v_later loop
        v_ids[ordinal] := coalesce(v_ids[ordinal], nextval(v_position));
      end loop;
      insert into :"schema".:"queue_deferred"
        (id, queue, priority, kind, key, payload, content_type, headers, run_at, created_at, deadline,
         attempt, max_attempts, unique_key, unique_states, suspect)
      select u.id, u.queue, u.priority, u.kind, u.key, u.payload, u.content_type, u.headers, u.run_at,
             v_now, u.deadline, 0, u.max_attempts, u.unique_key,
             case when u.unique_key is not null then u.states end, false
      from unnest(queues, kinds, priorities, keys, payloads, content_types, headers, run_ats,
                  deadlines, max_attempts, unique_keys, unique_states, v_ids)
        with ordinality u(queue, kind, priority, key, payload, content_type, headers, run_at,
                          deadline, max_attempts, unique_key, states, id, place)
      where u.place = any(v_later);
    end if;
    if v_ready is not null then
      v_routed := :"schema".:"queue_route"(
        array(select queues[u.place] from unnest(v_ready) u(place)),
        array(select priorities[u.place] from unnest(v_ready) u(place)),
        array(select keys[u.place] from unnest(v_ready) u(place)), rotor);
      select a.slot, a.positions into v_slot, v_drawn
      from :"schema".:"queue_append"(cardinality(v_ready)) a;
      for v_nth in 1 .. cardinality(v_ready) loop
        v_lanes[v_ready[v_nth]] := v_routed[v_nth];
        v_positions[v_ready[v_nth]] := v_drawn[v_nth];
        v_ids[v_ready[v_nth]] := coalesce(v_ids[v_ready[v_nth]], v_drawn[v_nth]);
      end loop;
    end if;
  end if;

  if v_slot is not null then
    insert into :"schema".:"queue_ready"
      (seq, lane, slot, id, kind, key, payload, content_type, headers, run_at, created_at, deadline,
       attempt, max_attempts, unique_key, unique_states, suspect)
    select u.seq, u.lane, v_slot, u.id, u.kind, u.key, u.payload, u.content_type, u.headers,
           coalesce(u.run_at, v_now), case when u.run_at is not null then v_now end, u.deadline, 0,
           u.max_attempts, u.unique_key, case when u.unique_key is not null then u.states end, false
    from unnest(kinds, keys, payloads, content_types, headers, run_ats, deadlines, max_attempts,
                unique_keys, unique_states, v_ids, v_lanes, v_positions)
      u(kind, key, payload, content_type, headers, run_at, deadline, max_attempts, unique_key,
        states, id, lane, seq)
    where u.seq is not null;
    perform :"schema".:"wake"();
  end if;
  return query select u.place::integer, u.id, u.created
               from unnest(v_ids, v_created) with ordinality u(id, created, place)
               order by u.place;
end
$body$;
